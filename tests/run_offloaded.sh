#!/bin/bash
# Run a test program with everything offloaded: run_offloaded.sh PROGRAM [ARGUMENT...]
# Passes its TAP lines on and adds one: that most of its calls ran on the device,
# without which the others would say nothing. Run from the build directory.
. tests/environment.sh
unset MUBLAS_TEST_SHIM
use_emulated_system
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

most_on_device() { awk '$1 == "total" { calls = $2; device = $3 } END { exit !(2 * device > calls) }' "$1"; }

while read -r line; do
    case $line in
    "1..0 "*) echo "$line"; exit 0 ;;
    1..*) plan=${line#1..} ;;
    *) echo "$line" ;;
    esac
done < <(env LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always MUBLAS_REPORT="$work/report" "$@"
         echo $? > "$work/status")
[ -n "$plan" ] || { echo "Bail out! $1 ended early"; exit 1; }
plan=$((plan + 1))
if most_on_device "$work/report"; then
    echo "ok $plan - more than half of the calls ran on the device"
else
    echo "not ok $plan - more than half of the calls ran on the device"
    sed 's/^/# /' "$work/report"
fi
echo "1..$plan"
exit "$(cat "$work/status")"

#!/bin/bash
# Only what a routine references is touched (design, invariant 1): pages that hold no element of an
# operand are protected or not mapped at all, and every routine gives the host's results, with
# residency and without, pinned and not, whole and in tiles.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
ulimit -c 0

guarded() # TYPES LEAST_PERCENT_ON_DEVICE WHAT [SETTING=VALUE...]
{
    local types=$1 least=$2 what=$3
    shift 3
    rm -f "$work/report"
    env LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always MUBLAS_REPORT="$work/report" "$@" \
        tests/system/guarded "$types" > "$work/output" 2> "$work/errors"
    local status=$?
    grep -q '^1\.\.[1-9]' "$work/output" && ! grep -q '^not ok' "$work/output" && [ $status = 0 ]
    result $? "$what: results"
    awk -v least="$least" '$1 == "total" { calls = $2; device = $3 } END { exit !(100 * device > least * calls) }' "$work/report"
    result $? "$what: on the device ($(awk '$1 == "total" { print $3 " of " $2 }' "$work/report") calls)"
}

# Types differ by their sizes alone. Elements of z are the largest, so of those there are the fewest. Without pins
# test_staging makes the same copies.
guarded z 99 "resident"
sampled GUARDED_FULL=1
! on_turn GUARDED_FULL || guarded z 99 "without residency" MUBLAS_TRACKING=0
! on_turn GUARDED_FULL || guarded z 60 "in tiles" MUBLAS_DEVICE_MEMORY=300K
[ -z "$GUARDED_FULL" ] || guarded d 99 "without residency" MUBLAS_TRACKING=0
echo "1..$number"

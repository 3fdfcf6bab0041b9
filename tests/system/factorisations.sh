#!/bin/bash
# Factorisations and what follows from them, on the emulated device beside the host: factorisations.c says
# how. factorisations.sh [ROUTINE...]: by default all; under sanitizers one of each kind, for routes.sh has
# them all.
. tests/environment.sh
number=0
result() # STATUS WHAT
{
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
[ -x tests/system/factorisations ] || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
use_reference_libraries
use_emulated_driver

# The symbols of a routine, and how many calls of each the report says were on the device.
on_device() # REPORT ROUTINE
{
    awk -v routine="$2" '
        BEGIN { other = routine; sub(/^or/, "un", other) }
        $1 ~ "^[sdcz](" routine "|" other ")$" && NF > 4 && $3 ~ /^[0-9]+$/ && $4 ~ /^[0-9]+$/ { count += $3 }
        END { print count + 0 }' "$1"
}

all="potrf potrs posv potri getrf getrs gesv getri geqrf orgqr ormqr gels trtri"
[ -z "$sanitizers" ] || all="posv getri orgqr gels"
for routine in ${*:-$all}; do
    MUBLAS_OFFLOAD=always MUBLAS_REPORT=$work/report LD_PRELOAD=$shim_preload \
        tests/system/factorisations "$routine" 40 5 > "$work/lines" 2> "$work/errors"
    result $? "$routine: all variants are as LAPACK's"
    grep '^not ok' "$work/lines" | sed 's/^/# /'
    sed 's/^/# /' "$work/errors"
    wanted=$(grep '^ok' "$work/lines" | grep -vc 'for the host$')
    [ "$wanted" -gt 0 ] && [ "$(on_device "$work/report" "$routine")" = "$wanted" ]
    result $? "$routine: $wanted calls on the device, and no other"
done
echo "1..$number"

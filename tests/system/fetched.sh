#!/bin/bash
# Memory whose access the program takes away and gives back in its own handler of SIGSEGV: the handler is told
# of each page, also where the matrix is resident, and what it brings is used. Calls on what can be accessed
# run on the device.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
ulimit -c 0

fetched() # LEAST_ON_DEVICE WHAT [SETTING=VALUE...]
{
    local least=$1 what=$2
    shift 2
    rm -f "$work/report"
    env LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always MUBLAS_REPORT="$work/report" "$@" \
        tests/system/fetched > "$work/output" 2> "$work/errors" && grep -q '^1\.\.24$' "$work/output"
    result $? "$what: results, and what the handler is told"
    # of 180 calls 84 meet protected memory, of which 28 only read what may be read
    awk -v least="$least" '/memory is protected/ { host += $2 } $1 == "total" && NF > 5 { calls = $2; device = $3 }
        END { print device, host, calls; exit !(host == 56 && device >= least && calls == 180) }' "$work/report" > "$work/counts"
    result $? "$what: on the device, on the host, in all: $(cat "$work/counts")"
}

fetched 124 "resident"
fetched 124 "without residency" MUBLAS_TRACKING=0
fetched 110 "in tiles" MUBLAS_DEVICE_MEMORY=1M
echo "1..$number"

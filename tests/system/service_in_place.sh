#!/bin/bash
# A service is killed while results come home that take the place of operands: the host computes the call on operands
# that are whole. At the last copy of each call; SERVICE_FULL=1: at every one.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
use_emulated_driver
use_reference_libraries
export MUBLAS_OFFLOAD=always EMULATED_CONTROL=$work/control STRIKE_COPIES=1
truncate -s 4096 "$work/control"

run() # WHO SIGNAL N ROUTINE: in $work/output; the status is the program's
{
    SERVICE_PRELOAD=$shim_preload timeout -k 5 120 tests/system/service_strike "$work/control" "$service_process" \
        "$1" "$2" "$3" 0 tests/system/service_in_place "$4" > "$work/output" 2> "$work/errors"
}
killed_at() # N ROUTINE
{
    start_service --keep && await_warm_service && run server 9 "$1" "$2" || return
    wait "$service_process"
    [ $? = 137 ] && grep -q 'is lost' "$work/errors" && grep -qx "$(cat "$work/$2")" "$work/output"
}

start_service --keep && await_warm_service
result $? "a service runs"
for routine in dgemm dsyevd dgesv; do
    tests/system/service_in_place $routine > "$work/$routine" && run nobody 0 0 $routine &&
        copies=$(sed -n 's/^calls //p' "$work/output") && [ "${copies:-0}" -ge 2 ]
    result $? "$routine's results come home by several copies"
    last[${#last[@]}]=${copies:-0}
done
stop_service
result $? "the service ends"
for routine in dgemm dsyevd dgesv; do
    copies=${last[0]} last=("${last[@]:1}") first=$copies
    [ -z "$SERVICE_FULL" ] || first=1
    failed=
    for ((n = first; n <= copies; n++)); do
        killed_at "$n" $routine 2> "$work/nothing" || failed="$failed $n"
    done
    [ "$copies" -gt 0 ] && [ -z "$failed" ]
    result $? "$routine gives the host's results, the service killed amid them${failed:+ (not at$failed of $copies)}"
done

echo "1..$number"

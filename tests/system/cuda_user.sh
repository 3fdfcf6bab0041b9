#!/bin/bash
# Programs that use CUDA themselves: neither disturbs the other.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
ulimit -c 0

run() # WAY [SETTING=VALUE]
{
    rm -f "$work"/*
    env LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always MUBLAS_REPORT="$work/report" "${@:2}" \
        tests/system/cuda_user "$1" > "$work/output" 2> "$work/errors"
}
says() { [ "$(grep -c . "$work/errors")" = "$1" ]; }
on_device() { awk '$1 == "total" && $3 > 0 { found = 1 } END { exit !found }' "$work/report"; }
result_or_skip() # STATUS WHAT
{
    [ "$1" != 77 ] || { skip "$2" "$(cat "$work/output")"; return; }
    [ "$1" = 0 ] && says 0 && on_device
    result $? "$2"
}

run stack && says 0 && on_device
result $? "the program's context stack is as it was"
run none && says 0 && on_device
result $? "no context is left on a thread that had none"
run capture && says 0 && on_device
result $? "a stream capture goes on"
run later
result_or_skip $? "a program that starts with CUDA when its matrices are pinned"
run pins
result_or_skip $? "a program that pins its matrices itself"
# Only the driver can tell of pins that do not show in VmPin.
run pins MUBLAS_TRUST_TRACKING=1
result_or_skip $? "the same when nobody watches VmPin"
run reset && says 1 && grep -q '^mublas: device 0 is left alone.*reset' "$work/errors" && on_device
result $? "a program that resets the device: one line, then the host"
echo "1..$number"

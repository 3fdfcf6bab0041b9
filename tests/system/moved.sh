#!/bin/bash
# System calls that the registration of memory would make fail: mremap over several mappings and the program's
# own userfaultfd on such memory do what they do without mublas, as long as they are made by the C library's
# functions, and calls on that memory are right.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
ulimit -c 0

run() # OUTPUT [SETTING=VALUE...]
{
    local output=$1
    shift
    rm -f "$work/report"
    env LD_PRELOAD="$shim_preload" MUBLAS_REPORT="$work/report" "$@" tests/system/moved > "$work/all" 2> "$work/errors" &&
        grep -v 'by a system call' "$work/all" > "$work/$output"
}
refused() { [ "$(grep -c 'by a system call: refused' "$work/all")" = "$1" ]; }

run host MUBLAS_OFFLOAD=never && [ "$(wc -l < "$work/host")" -ge 11 ] && refused 0
result $? "on the host nothing is refused"
! grep -E 'wrong|contents 0|products? 0|writing 0|writing . 0|behind 0|before: 0' "$work/host"
result $? "and all is right"
run output MUBLAS_OFFLOAD=always && diff "$work/host" "$work/output" > "$work/report.difference"
result $? "the same with resident matrices"
if grep -q 'no userfaultfd' "$work/host"; then refused 1; else refused 2; fi
result $? "where the system calls themselves are refused"
awk '$1 == "total" && $3 > 100 { found = 1 } END { exit !found }' "$work/report"
result $? "and calls ran on the device"
run output MUBLAS_OFFLOAD=always MUBLAS_TRACKING=0 &&
    diff "$work/host" "$work/output" > "$work/report.difference" && refused 0
result $? "the same without residency"
LD_PRELOAD=$shim_preload LD_DEBUG=bindings LD_DEBUG_OUTPUT=$work/bindings MUBLAS_OFFLOAD=never tests/system/moved > "$work/output"
cat "$work"/bindings.* |
    grep -E "tests/system/moved .*libmublas_shim.so.*symbol .(mremap|ioctl)'" > "$work/errors"
if [ -n "$sanitizers" ]; then
    skip "programs find these functions in the shim" "sanitizers have functions of their own before it"
else
    [ "$(wc -l < "$work/errors")" = 2 ]
    result $? "programs find these functions in the shim"
fi
echo "1..$number"

#!/bin/bash
# A host BLAS that calls BLAS from threads of its own while a call of ours runs in it.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system

run() # [SETTING=VALUE...]
{
    rm -f "$work"/*
    env LD_PRELOAD="$shim_preload" MUBLAS_REPORT="$work/report" "$@" tests/system/nested > "$work/output" 2> "$work/errors" &&
        [ ! -s "$work/output" ]
}
# The columns: 2 calls, 3 on the device, 4 on the host.
column() { awk -v name="$1" -v column="$2" '$1 == name && $3 ~ /^[0-9]+$/ { print $column }' "$work/report"; }

run MUBLAS_OFFLOAD=always && [ ! -s "$work/errors" ] && [ "$(column dger_ 4)$(column dger 4)" = 12 ] &&
    [ "$(column daxpy_ 3)$(column daxpy 3)" -gt 0 ]
result $? "its threads' calls run on the device"
# Every second kernel fails: the host's dsymv shares out, its threads' calls fail in turn.
faults=$(seq -f 'KERNEL:%g:701' -s , 1 2 60)
run MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=0 EMULATED_FAULTS="$faults" &&
    [ "$(column dsymv_ 4)$(column dsymv 4)" -gt 0 ]
result $? "also those of a call that the device gave back"
run MUBLAS_OFFLOAD=never && [ ! -s "$work/errors" ]
result $? "and without a device"
echo "1..$number"

#!/bin/bash
# Libraries that bring BLAS along and are unloaded: mublas and its host stay, mirrors of
# their memory do not.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
ulimit -c 0

cp tests/system/.libs/passing.so "$work/other.so"
for mode in always auto never; do
    MUBLAS_OFFLOAD=$mode MUBLAS_REPORT=$work/report LD_PRELOAD=$shim_preload \
        tests/system/unloading "$build/tests/system/.libs/passing.so" "$work/other.so" > "$work/output" 2> "$work/errors"
    [ $? = 0 ] && [ ! -s "$work/output" ] && [ ! -s "$work/errors" ]
    result $? "mode $mode: libraries come and go"
    [ $mode != always ] || {
        awk '$1 == "total" && $3 > $2 / 2 { found = 1 } END { exit !found }' "$work/report"
        result $? "mode $mode: most of their calls run on the device"
    }
done
echo "1..$number"

#!/bin/bash
# What is said of settings that cannot be used, and of output that cannot be written.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_TEST_SHIM MUBLAS_REPORT MUBLAS_HOST_BLAS MUBLAS_VERBOSE
use_emulated_driver
use_reference_libraries
export MUBLAS_OFFLOAD=always

# With these settings the program runs on: LINES that are no debugging, the first as given.
complains() # LINES START SETTING...
{
    local lines=$1 start=$2
    shift 2
    env "$@" LD_PRELOAD="$shim_preload" tests/system/counted > /dev/null 2> "$work/errors" &&
        [ "$(grep -cvE '^mublas: (device 0 is awake|launching |[a-z0-9_]+ m=)' "$work/errors")" = "$lines" ] && [[ $(head -n 1 "$work/errors") = "$start"* ]]
}
complains 1 "mublas: MUBLAS_VERBOSE='4' is not " MUBLAS_VERBOSE=4
result $? "a verbosity beyond the last is no setting"
complains 0 "" MUBLAS_VERBOSE=1
result $? "one within is"
complains 1 "mublas: MUBLAS_HOST_BLAS: cannot use /nonexistent/lib.so" MUBLAS_HOST_BLAS=/nonexistent/lib.so
result $? "a host BLAS that is not there: one line, though the program has its own"
complains 0 "" MUBLAS_HOST_BLAS=
result $? "an empty one is none"

"$build/mublas" info > "$work/output" 2> "$work/errors"
status=$?
[ $status = 0 ] && [ -s "$work/output" ]
result $? "mublas info prints"
if [ -w /dev/full ]; then
    "$build/mublas" info > /dev/full 2> "$work/errors"
    [ $? != 0 ]
    result $? "mublas info says when it could not"
fi
echo "1..$number"

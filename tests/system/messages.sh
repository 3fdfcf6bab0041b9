#!/bin/bash
# Messages on settings that cannot be used, and on output that cannot be written.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
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
cp "$(readlink -f "$host_blas")" "$work/libother.so"
for named in libm.so.6 "$work/libother.so"; do
    complains 1 "mublas: MUBLAS_HOST_BLAS=$named is not used: the program brings /" MUBLAS_HOST_BLAS="$named"
    result $? "a library that is not used, BLAS or not: ${named##*/}"
done
own=$(LD_TRACE_LOADED_OBJECTS=1 tests/system/counted | sed -n 's/.*libblas[^ ]* => \([^ ]*\).*/\1/p')
complains 0 "" MUBLAS_HOST_BLAS="$work/libother.so:$own"
result $? "the program's own library is used, one of several"
complains 0 "" MUBLAS_HOST_BLAS=
result $? "an empty one is none"

"$build/mublas" info > "$work/output" 2> "$work/errors"
status=$?
[ $status = 0 ] && [ -s "$work/output" ]
result $? "mublas info prints"
[ "$(wc -l < "$work/output")" -le 24 ] && grep -q '^  MUBLAS_OFFLOAD=always$' "$work/output" &&
    [ "$(grep -v '^  MUBLAS_RECIPE=' "$work/output" | grep -c '^  MUBLAS_')" = 1 ] &&
        ! grep -q 'dgemm [0-9]' "$work/output"
result $? "no more than a screen, and of the settings what is set"
says() { "$build/mublas" info 2> "$work/errors" | tee "$work/output" | sed -n 2p | grep -q "^verdict: $1"; }
says 'calls that gain by it run on Emulated device' && MUBLAS_OFFLOAD=never says 'every call runs on the host, by MUBLAS_OFFLOAD=never' &&
    MUBLAS_CUDA_DRIVER=/nowhere says 'every call runs on the host: there is no usable device'
result $? "its verdict comes first"
MUBLAS_OFFLOAD=auto "$build/mublas" info > "$work/output" 2> "$work/errors" &&
    ! grep -q MUBLAS_OFFLOAD "$work/output"
result $? "not where that is the default"
"$build/mublas" info --settings > "$work/output" 2> "$work/errors" &&
    grep -q '^  MUBLAS_OFFLOAD=always$' "$work/output" &&
    grep -q '^  MUBLAS_TRACKING=1 (default)$' "$work/output" &&
        [ "$(grep -c '^      ' "$work/output")" -ge 13 ]
result $? "with --settings all of them, and what they mean"
MUBLAS_OFFLOAD=auto "$build/mublas" info --crossovers > "$work/output" 2> "$work/errors" &&
    grep -q ' dgemm [0-9]' "$work/output" && [ "$(grep -c MUBLAS_ "$work/output")" = 0 ]
result $? "with --crossovers the sizes below which calls stay on the host"
# refuses STATUS PATTERN ARGUMENT...: one line on standard error
refuses()
{
    local wanted=$1 pattern=$2
    shift 2
    "$build/mublas" "$@" > "$work/output" 2> "$work/errors"
    [ $? = "$wanted" ] && [ ! -s "$work/output" ] && [ "$(wc -l < "$work/errors")" = 1 ] &&
        grep -q -e "$pattern" "$work/errors"
    result $? "mublas $*: $(cat "$work/errors")"
}
refuses 2 "'tuen' is not a command" tuen
refuses 2 "'--verison' is not an option" --verison
refuses 2 "'tuen' is not a command" help tuen
refuses 2 "'now' is one argument too many" help tune now
refuses 2 "'--really' is one argument too many" --version --really
refuses 2 "mublas info: --settings=all: not" info --crossovers --settings=all
refuses 2 "mublas run: '--speed' is not an option" run --speed true
refuses 2 "mublas tune: --speed: not an option" tune --speed
refuses 2 "mublas verify: '--speed' is not an option" verify --speed
refuses 2 "mublas report: '--speed' is not an option" report --speed
refuses 2 "mublas report: '--output' is without a value" report --tuning x --output
refuses 2 "mublas report: no file: mublas report FILE" report
refuses 2 "mublas report: 'y' is one argument too many beside --tuning" report --tuning x y
refuses 1 "mublas report: /nonexistent: " report /nonexistent
"$build/mublas" --help > "$work/help" 2> "$work/errors"
status=$?
for command in run info tune verify report; do
    "$build/mublas" $command --help > "$work/output" 2>> "$work/errors" &&
        grep -q "mublas $command " "$work/output" &&
        grep -q "^mublas $command " "$work/help" || status=1
done
[ $status = 0 ] && [ ! -s "$work/errors" ]
result $? "mublas --help names every command, and each has its own"
"$build/mublas" help > "$work/output" 2> "$work/errors" && cmp -s "$work/help" "$work/output" &&
    "$build/mublas" tune --help > "$work/help" && "$build/mublas" help tune > "$work/output" 2>> "$work/errors" &&
    cmp -s "$work/help" "$work/output" && [ ! -s "$work/errors" ]
result $? "mublas help says the same, and of one command by its name"
if [ -w /dev/full ]; then
    "$build/mublas" info > /dev/full 2> "$work/errors"
    [ $? != 0 ]
    result $? "mublas info says when it could not"
fi
echo "1..$number"

#!/bin/bash
# LAPACK's tester of symmetric eigenproblems by mublas' own eigensolver, real ones in two stages: by a library
# that takes them from the first order on (tests/system/routes/local.mk). Residuals of all drivers are below
# LAPACK's threshold.
MUBLAS_TEST_SHIM=$top_builddir/tests/system/routes/early/.libs/libmublas.so.0
. tests/environment.sh
. "$source_tree/tests/tap.sh"
only_on_day NETLIB_FULL 1
tester=${NETLIB_LAPACK:-/usr/lib/$multiarch/lapack}/xeigtst
if [ -n "$sanitizers" ] || [ ! -x "${tester}d" ]; then
    echo "1..0 # SKIP LAPACK's testers are not installed (Debian: liblapack-test), or too slow under sanitizers"
    exit 0
fi
ask_for_no_pins

# Passes with at least so many cooperative launches. S and c differ by their precision.
passes() # TYPE LAUNCHES ORDER TYPES...
{
    local type=$1 launches=$2 order=$3
    shift 3
    printf '%s\n' "SEP: by the own eigensolver" 1 "$order" 1 3 2 0 50.0 F T F 1 "$@" > "$work/in-$type"
    ( use_emulated_system
      export EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=3 EMULATED_COUNT_FILE=$work/counts-$type
      LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=always "$tester$type" < "$work/in-$type" > "$work/out-$type" )
    grep -E "threshold" "$work/out-$type" | sed 's/^ */# /'
    grep -q "All tests for .ST drivers *passed the threshold" "$work/out-$type" &&
        awk -v least="$launches" '$1 == "cuLaunchCooperativeKernel" { calls += $2 } END { exit !(calls >= least) }' \
            "$work/counts-$type"
}

sampled NETLIB_FULL=1
if [ -n "$NETLIB_FULL" ] || in_sample 2 0; then
    passes d 100 67 "SEP 4" "4 9 10 16"
    result $? "drivers of type d, in two stages"
fi
if [ -n "$NETLIB_FULL" ] || in_sample 2 1; then
    passes z 50 12 "SEP 8" "1 2 4 8 10 13 16 21"
    result $? "drivers of type z"
fi
echo "1..$number"

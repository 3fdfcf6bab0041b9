#!/bin/bash
# A recipe's lines on calls decide where they run: gains, never, and times that were learned with another host BLAS or
# number of threads.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset OMP_NUM_THREADS OPENBLAS_NUM_THREADS
use_emulated_system
unset BLIS_NUM_THREADS MKL_NUM_THREADS
host=$(readlink -f "$host_blas")
gains='host dsymv 100 1 1000000 5000
device dsymv 100 2 1000000 20
upload pinned 1000 10 10000000 100
wake 4000'
never='host dsymv 100 1 1000000 5000
device dsymv 100 2 1000000 5100
host dsymv_upper 100 1 1000000 5000
device dsymv_upper 100 2 1000000 5100
wake 4000'

# decides HOST THREADS LINES [CALLS [trmv|small]]: how many calls of order 100 or more ran on the device
decides()
{
    printf 'host-blas %s\nhost-threads %d\n%s\n' "$1" "$2" "$3" > "$work/lines"
    tests/system/make_recipe "$work/lines" > "$work/recipe" || return 1
    LD_PRELOAD=$shim_preload MUBLAS_RECIPE=$work/recipe MUBLAS_REPORT=$work/report \
        tests/system/learned "${4:-0}" $5 > "$work/output" 2> "$work/errors" || return 1
    local routine=dsymv
    [ "$5" = trmv ] && routine=dtrmv
    device=$(awk -v routine=$routine '$1 == routine && $4 ~ /^[0-9]+$/ { print $3 }' "$work/report")
    [ -n "$device" ]
}

decides "$host" 1 "$never" 40 && [ "$device" = 0 ] && grep -q 'device *not woken' "$work/report"
result $? "where it is never, no device is woken"
decides "$host" 1 "$gains" 0 && large=$device && decides "$host" 1 "$gains" 40 &&
    [ "$large" -ge 30 ] && [ "$device" -ge $((large + 35)) ]
result $? "where small calls gain, they run on a device that is woken soon ($large, then $device)"
decides "$host" 1 "$gains" 200 small && [ "$device" -ge 60 ]
result $? "also where there are none that would be worth it by built-in figures ($device)"
# The first call of a routine is looked at, and the one that finds no recipe.
LD_PRELOAD=$shim_preload MUBLAS_RECIPE=none MUBLAS_VERBOSE=3 tests/system/learned 60 shrinking \
    > "$work/output" 2> "$work/errors" && looks=$(grep -c '^mublas: dsymv_ ' "$work/errors") &&
    [ "$looks" -ge 1 ] && [ "$looks" -le 2 ]
result $? "without a recipe such calls are not looked at again ($looks of 60)"
# The same of dtrmv, whose calls are of the lower triangle: factors of lower and upper ones.
trmv_gains=$(sed -n '/dsymv/!p; s/dsymv/dtrmv_none/p; s/dtrmv_none/dtrmv_transpose/p' <<< "$gains")
flags() { printf '%s\nflags dtrmv_none %s %s %s %s' "$trmv_gains" "$1" "$1" "$2" "$2"; }
decides "$host" 1 "$(flags 20 0.05)" 40 trmv && slow=$device &&
    decides "$host" 1 "$(flags 0.05 20)" 40 trmv &&
    [ "$slow" -ge $((large + 35)) ] && [ "$device" -lt $((large - 10)) ]
result $? "where the host takes long with a call's flags it leaves, else it stays ($slow, $device)"
decides "$host.other" 1 "$gains" 40 && [ "$device" -lt $((large - 10)) ]
result $? "times of another host BLAS do not count: small calls stay ($device)"
other=$(($(nproc) + 1))
decides "$host" $other "$gains" 40 && [ "$device" -lt $((large - 10)) ]
result $? "nor those of another number of threads ($device)"
[ ! -s "$work/errors" ]
result $? "all without a word"

MUBLAS_RECIPE=$work/recipe "$build/mublas" info > "$work/output" 2> "$work/errors"
[ $? = 0 ] && grep -q '^crossovers: learned' "$work/output" &&
    grep -q "learned with $other threads" "$work/output"
result $? "mublas info says that they are learned, and which do not count"
printf 'host-blas %s\nhost-threads %d\n%s\n' "$host" "$(nproc)" "$never" > "$work/lines"
tests/system/make_recipe "$work/lines" > "$work/recipe"
MUBLAS_RECIPE=$work/recipe MUBLAS_HOST_BLAS=$host "$build/mublas" info --crossovers > "$work/output" 2> "$work/errors"
[ $? = 0 ] && grep -q '^crossovers: learned' "$work/output" && grep -q ' dsymv never' "$work/output" &&
    ! grep -q 'were learned with' "$work/output"
result $? "and never, where that was learned"
# floor LINES: of dtrmv, as mublas info says it
floor()
{
    printf 'host-blas %s\nhost-threads %d\n%s\n' "$host" "$(nproc)" "$1" > "$work/lines"
    tests/system/make_recipe "$work/lines" > "$work/recipe"
    MUBLAS_RECIPE=$work/recipe MUBLAS_HOST_BLAS=$host "$build/mublas" info --crossovers 2> "$work/errors" |
        awk '{ for (i = 1; i < NF; i++) if ($i == "dtrmv") print $(i + 1) }'
}
plain=$(floor "$trmv_gains") lower=$(floor "$(flags 20 0.05)") upper=$(floor "$(flags 0.05 20)")
[ "$lower" -gt 0 ] && [ "$lower" = "$upper" ] && [ "$lower" -lt "$plain" ]
result $? "and the sizes of the flags with which the host takes longest ($plain without, $lower and $upper)"
printf 'host-blas %s\nhost-threads 1\n%s\n' "$host" 'host dgemm_deep 1000 10000 100000000 10000
device dgemm_deep 1000 10 100000000 10
wake 4000' > "$work/lines"
tests/system/make_recipe "$work/lines" > "$work/recipe"
OMP_NUM_THREADS=1 LD_PRELOAD=$shim_preload MUBLAS_RECIPE=$work/recipe MUBLAS_REPORT=$work/report \
    tests/system/waking level3 60 > "$work/output" 2> "$work/errors" &&
    [ "$(awk '$1 == "dgemm" && $4 ~ /^[0-9]+$/ { print $3 }' "$work/report")" -ge 40 ]
result $? "calls that would never pay without a recipe do by one"
echo "1..$number"

#!/bin/bash
# Matrix-vector calls on matrices that no device can hold alone: on two and on three, with one device's bits.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
export EMULATED_DEVICES=3 EMULATED_DEVICE_MEMORY=2G,1G,512M EMULATED_MULTIPROCESSORS=132,20,7 EMULATED_PEER=0

split() # OUTPUT SETTING...
{
    timeout -k 5 600 env LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always MUBLAS_REPORT="$work/report" "${@:2}" \
        tests/system/split $types > "$work/$1" 2> "$work/errors"
}
# With the digests of the first run, whose results are right.
split_alike() { split "$@" SPLIT_DIGESTS=1 && cmp "$work/$1" "$work/one"; }
all_ran() { awk '$1 == "total" { right = $3 > 0 && $4 == 0 } END { exit !right }' "$work/report"; }
calls_on() { sed -n "s/^  device .*; device $1 by .*; \([0-9]*\) calls\{0,1\} of BLAS .*/\1/p" "$work/report" | grep . || echo -1; }
# The kernels, which take their time, are the same but for the type.
types=d calls=16

split one MUBLAS_DEVICE=0 && all_ran
result $? "on one device that holds them: $(tail -n 1 "$work/one")"
split none MUBLAS_DEVICE=0 MUBLAS_DEVICE_MEMORY=14M && ! all_ran
result $? "on one that does not: the host"
split_alike two MUBLAS_DEVICE=0,1 MUBLAS_DEVICE_MEMORY=16M && all_ran
result $? "on two that hold them together: the same bits"
[ "$(calls_on 0)" = $calls ] && [ "$(calls_on 1)" = $calls ]
result $? "both have a part in each: $(calls_on 0) and $(calls_on 1) calls"
split_alike three MUBLAS_DEVICE=all MUBLAS_DEVICE_MEMORY=13M && all_ran
result $? "on three: the same bits"
[ "$(calls_on 2)" = $calls ]
result $? "all of them have a part: $(calls_on 0), $(calls_on 1) and $(calls_on 2) calls"
# Two matrices of 20.5 MB.
awk '$1 == "dgemv" { right = $5 > 40 && $5 < 45 } END { exit !right }' "$work/report"
result $? "what is there already is not sent again: $(awk '$1 == "dgemv" { print $5 }' "$work/report") MB for two calls on each of two matrices"
# Failures, gains and the life of cuts take their time: one of the three every day.
sampled SPLIT_FULL=1
part_of_day() { [ -n "$SPLIT_FULL" ] || in_sample 3 "$1"; }
if part_of_day 0; then
    # The first tries twice, then the second.
    split_alike "both short" MUBLAS_DEVICE=0,1 MUBLAS_DEVICE_MEMORY=16M \
        EMULATED_FAULTS=cuMemCreate@0:1:2,cuMemCreate@0:2:2,cuMemCreate@1:1:2,cuMemCreate@1:2:2 && all_ran
    result $? "both are short of memory once: none is left out"
    split lost MUBLAS_DEVICE=0,1 MUBLAS_DEVICE_MEMORY=16M EMULATED_FAULTS=cuLaunchKernel@1:40:719:sticky &&
        [ "$(tail -n 1 "$work/lost")" = "wrong 0" ] && grep -q '(given up); device 1' "$work/report"
    result $? "one is lost: all right"
fi

# One device holds them, but its memory is so slow that more are faster.
export EMULATED_MEMORY_CLOCK=156
if part_of_day 1; then
    split_alike faster MUBLAS_DEVICE=0,1 && all_ran
    result $? "where one holds them and two are faster: the same bits"
    # But for symmetric ones, a quarter, of which two would read more than one does. On a busy machine one more may.
    again=$((calls * 3 / 8))
    [ "$(calls_on 0)" = $calls ] && [ "$(calls_on 1)" -ge $again ] && [ "$(calls_on 1)" -le $((again + 1)) ]
    result $? "both have a part in those that found the matrix there: $(calls_on 0) and $(calls_on 1) calls"
    # The second joins the first call that finds its matrix on one device, the third the next such call, but for
    # upper triangles of 1100, which two are as soon done with: their longest part is the same.
    split_alike "faster on three" MUBLAS_DEVICE=1,2,0 && all_ran && [ "$(calls_on 0)" -ge $((again - 4)) ] &&
        [ "$(calls_on 1)" = $calls ] && [ "$(calls_on 2)" -ge $((again - 1)) ]
    result $? "the same on three, the first of them last: $(calls_on 0), $(calls_on 1) and $(calls_on 2) calls"
    split_alike alone MUBLAS_DEVICE=0 && all_ran
    result $? "on one alone: the same bits"
    sent() { awk '$1 == "total" { print int($5) }' "$work/report"; }
    sent_alone=$(sent)
    # Though the driver says that there is room.
    split_alike short MUBLAS_DEVICE=0,1 EMULATED_FAULTS="$(seq -s, -f cuMemCreate@1:%g:2 31)" && all_ran &&
        [ "$(calls_on 1)" = 0 ] && [ "$(sent)" -gt 0 ] && [ "$(sent)" -le $((sent_alone * 11 / 10)) ]
    result $? "the second is short of memory: nothing is sent again, $(sent) MB in place of $sent_alone"
    # Twice as many calls.
    types=dz split "short at first" MUBLAS_DEVICE=0,1 EMULATED_FAULTS="$(seq -s, -f cuMemCreate@1:%g:2 4)" && all_ran &&
        [ "$(tail -n 1 "$work/short at first")" = "wrong 0" ] && [ "$(calls_on 1)" -gt 0 ] && [ "$(calls_on 1)" -lt 8 ]
    result $? "so it is once: it is left out of 8 calls, and has a part in $(calls_on 1)"
fi
if part_of_day 0; then
    split_alike left MUBLAS_DEVICE=0,1 EMULATED_FAULTS=cuLaunchKernel@1:20:719:sticky && all_ran
    result $? "the second is lost: the first does the rest, with the same bits"
    split first MUBLAS_DEVICE=0,1 EMULATED_FAULTS=cuLaunchKernel@0:20:719:sticky &&
        [ "$(tail -n 1 "$work/first")" = "wrong 0" ]
    result $? "the first is lost: all right"
fi

# Cuts are those that products by A itself have, if the one in the middle has no room for both.
unset EMULATED_MEMORY_CLOCK
turned() # OUTPUT MEMORY
{
    split "$1" MUBLAS_DEVICE=all MUBLAS_DEVICE_MEMORY="$2" EMULATED_DEVICE_MEMORY=2G \
        EMULATED_MEMORY_CLOCK=1964000,2619000,2619000 EMULATED_MULTIPROCESSORS=18,20,20 && all_ran &&
        cmp "$work/$1" "$work/turned alone" && [ "$(calls_on 2)" = 6 ]
}
if part_of_day 2 && [ -z "$sanitizers" ]; then
    types=turned
    split "turned alone" MUBLAS_DEVICE=0
    turned "turned short" 75M && [ "$(sent)" -ge 201 ] && [ "$(sent)" -le 215 ]
    result $? "a matrix of 201 MB in turn as it is and transposed, on three: sent once, $(sent) MB"
    turned turned 90M && [ "$(sent)" -gt 215 ] && [ "$(sent)" -le 230 ]
    result $? "where there is room each has its own cuts, once: $(sent) MB"
fi
echo "1..$number"

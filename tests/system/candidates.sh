#!/bin/bash
# A process with several devices begins with one by default. Another is woken once calls would have gained its price by
# it, and used if nobody else uses it. Under a launcher, and in always mode, there is no other.
. tests/environment.sh
only_on_day CANDIDATES_FULL 1
. "$source_tree/tests/tap.sh"
unset CUDA_VISIBLE_DEVICES GLIBC_TUNABLES
for variable in $(compgen -e |
    grep -E '^(OMPI_|PMIX?_|MPI_|SLURM_|MV2_|MVP_|PALS_|JSM_|FLUX_)'); do unset "$variable"; done
export OMP_NUM_THREADS=1 EMULATED_DEVICES=2 EMULATED_DEVICE_MEMORY=1G
use_emulated_system

# Waking costs 20 ms, which calls on the host soon pay. Two devices would save 243 of the 1000 us of a call on
# one: 83 calls pay for waking the second, some more for using it.
printf '%s\n' "host-blas $(readlink -f "$host_blas")" "host-threads 1" "host dsymv_upper 100 5000 1000000 5000" \
    "device dsymv_upper 100 1000 1000000 1000" "upload pinned 1000 10 10000000 100" "wake 20000" > "$work/lines"
tests/system/make_recipe "$work/lines" > "$work/recipe" || exit 1

# run CALLS [NAME=VALUE...]
run()
{
    rm -f "$work/report"
    env MUBLAS_VERBOSE=2 "${@:2}" MUBLAS_RECIPE="$work/recipe" MUBLAS_REPORT="$work/report" \
        EMULATED_COUNT_FILE="$work/counts" LD_PRELOAD="$shim_preload" tests/system/waking_upper steady "$1" \
        > "$work/output" 2> "$work/errors"
}
calls_on() # ORDINAL; -1: it is not in use
{
    sed -n "s/^  device .*; device $1 by .*; \([0-9]*\) calls\{0,1\} of BLAS .*/\1/p" "$work/report" 2> /dev/null |
        grep . || echo -1
}
woken() { grep -c 'device [0-9] is awake' "$work/errors"; }
# Contexts that were made (Retain), or given back (Release_v2).
contexts() { awk -v name="cuDevicePrimaryCtx$1" '$1 == name { sum += $2 } END { print sum + 0 }' "$work/counts"; }
says() { grep -q "^  device  *$1" "$work/report"; }

run 300 MUBLAS_DEVICE=0 && cp "$work/output" "$work/one" && [ "$(woken)" = 1 ] && [ "$(calls_on 1)" = -1 ]
result $? "one that is named is alone"
run 300 && cmp "$work/output" "$work/one" && [ "$(woken)" = 2 ] && [ "$(calls_on 1)" -gt 100 ] &&
    says '.*; device 0 by default, the first of 2 visible; ' &&
    says '.*; device 1 by default, as calls gain by it; '
result $? "by default the second is used where that pays, with the same bits: $(calls_on 1) of $(calls_on 0) calls"
used=$(calls_on 1)
run 300 && [ "$(calls_on 1)" = "$used" ]
result $? "from the same call on each time"
run 60 && [ "$(woken)" = 1 ] &&
    says 'device 1 not needed: calls would have gained 0\.01[0-9] s by one more, which costs 0.02 s$'
result $? "a program that gains less than its price does not touch it: $(grep -o 'gained .*' "$work/report")"

untouched() # WHY [NAME=VALUE...]: no context is made there
{
    local why=$1
    shift
    rm -f "$work/counts"
    run 300 "$@" && cmp "$work/output" "$work/one" && [ "$(contexts Retain)" = 1 ] && [ "$(calls_on 1)" = -1 ] &&
        { [ -z "$why" ] || says "device 1 left alone: $why$"; }
}
untouched 'its compute mode keeps it for others' EMULATED_COMPUTE_MODE=0,3
result $? "one whose compute mode is exclusive is left alone"
untouched '' OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2
result $? "so are all others under a launcher"
untouched '' PMIX_RANK=0
result $? "also where that says no local rank"
untouched '' CUDA_VISIBLE_DEVICES=1
result $? "and where one is visible"
untouched '' EMULATED_MULTIPROCESSORS=132,20
result $? "and one that is far slower"
run 300 MUBLAS_DEVICE_MEMORY=200K && cmp "$work/output" "$work/one" && [ "$(woken)" = 1 ]
result $? "a matrix that all together cannot hold wakes no other"
run 300 MUBLAS_OFFLOAD=always && [ "$(woken)" = 1 ] && cmp "$work/output" "$work/one"
result $? "in always mode there is one"

rm -f "$work/counts"
run 300 EMULATED_OCCUPIED=0,110M && cmp "$work/output" "$work/one" && [ "$(calls_on 1)" = -1 ] &&
    says 'device 1 left alone: its memory is in use by others$' &&
    [ "$(contexts Retain)" = 2 ] && [ "$(contexts Release_v2)" = 1 ]
result $? "one whose memory others use is given back: $(contexts Release_v2) of $(contexts Retain) contexts"
run 300 EMULATED_OCCUPIED=0,50M && [ "$(calls_on 1)" = "$used" ]
result $? "a little of it does not matter"
run 600 EMULATED_DEVICES=3 EMULATED_OCCUPIED=0,110M,0 && [ "$(calls_on 2)" -gt 100 ] &&
    [ "$(calls_on 1)" = -1 ] && says 'device 1 left alone: its memory'
result $? "the third is paid for anew, then: $(calls_on 2) calls there"
run 300 MUBLAS_DEVICE=all EMULATED_OCCUPIED=0,500M EMULATED_COMPUTE_MODE=0,3 &&
    [ "$(calls_on 1)" -gt "$used" ]
result $? "one that was named is used whoever uses it, and earlier: $(calls_on 1) calls"

# Unlike devices: each launches by its own recipe, and is judged by its own model.
export EMULATED_NAMES="Large device,Small device" EMULATED_MULTIPROCESSORS=132,100
tests/system/make_recipe "$work/lines" 16 > "$work/recipe" && mkdir "$work/mublas" &&
    CUDA_VISIBLE_DEVICES=1 tests/system/make_recipe "$work/lines" 32 > "$work/mublas/recipe"
launches() { grep '^mublas: launching dsymv' "$work/errors" | sed 's/.* blocks of //' | sort -u | tr '\n' ' '; }
run 600 MUBLAS_VERBOSE=3 XDG_CONFIG_HOME="$work" && [ "$(launches)" = "128 threads 256 threads " ] &&
    [ "$(calls_on 1)" -gt 100 ]
result $? "each launches in the shapes of its own recipe: $(launches)"
run 600 MUBLAS_VERBOSE=3 && [ "$(launches | grep -c '128 threads')" = 1 ] && [ "$(launches)" != "128 threads " ]
result $? "one for which there is none in built-in ones: $(launches)"

# info NAME...: what it says of device 1
info() { env "$@" "$build/mublas" info 2>&1 | sed -n '/^device 1: /,/^[^ ]/p' > "$work/output"; }
info A=b && grep -q '^  used by programs whose calls gain by it, while others leave 90% of its memory free$' "$work/output"
result $? "mublas info says what a second device is used for"
info EMULATED_COMPUTE_MODE=0,2 && grep -q '^  not used: its compute mode keeps it for others$' "$work/output" &&
    info MUBLAS_DEVICE=0 && grep -q '^  not used: chosen were others, by MUBLAS_DEVICE=0$' "$work/output"
result $? "and why it is not used"
echo "1..$number"

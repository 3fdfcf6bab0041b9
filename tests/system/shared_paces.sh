#!/bin/bash
# A program's dgemm on two devices, of which one is planted to be slower by a factor: by the report it does
# what its throughput says, within 10%. Alike ones are told apart as they go, unlike ones by what is known of
# them.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
export MUBLAS_OFFLOAD=always EMULATED_PEER=0 EMULATED_DEVICES=2 MUBLAS_DEVICE=all OMP_NUM_THREADS=1
export MUBLAS_DEVICE_MEMORY=300K # tiles of a sixth of the matrix, in 36 groups

multiply() # CALLS [SETTING...]
{
    rm -f "$work/report"
    timeout -k 5 300 env LD_PRELOAD="$shim_preload" MUBLAS_REPORT="$work/report" "${@:2}" \
        tests/system/shared_rewritten kept "$1" > "$work/output" 2> "$work/errors"
}
part_of() # ORDINAL: what the device has done, in percent
{
    sed -n "s/^  device .*; device $1 by .*; \([0-9]*\)% of what calls of level 3 share; .*/\1/p" "$work/report" |
        grep . || echo 0
}
# A device FACTOR times slower than the other has one of FACTOR + 1 parts.
is_part()
{
    awk -v part="$1" -v factor="$2" 'BEGIN { right = 100 / (factor + 1)
        exit !(part > 0.9 * right - 0.5 && part < 1.1 * right + 0.5) }'
}

# Alike by all that is known, but its waits take so much longer that nothing else counts. A machine that is
# busy for seconds adds to both, so one of two runs suffices.
is_slow_by_waits() { multiply 1 EMULATED_SLOW=250,750 && is_part "$(part_of 1)" 3; }
if [ -z "$sanitizers" ]; then
    is_slow_by_waits || is_slow_by_waits
    result $? "the second is 3 times slower than its like: $(part_of 0)% and $(part_of 1)%"
fi

# A device of another kind, and so slow at products that copies hardly count. Each has a recipe.
export EMULATED_NAMES="Large device,Small device" EMULATED_CLOCK=1000 XDG_CONFIG_HOME="$work"
mkdir "$work/mublas"
for factor in 2 3 5; do
    export EMULATED_MULTIPROCESSORS=30,$((30 / factor))
    printf 'host-threads 1\n' > "$work/lines"
    tests/system/make_recipe "$work/lines" > "$work/recipe" &&
        CUDA_VISIBLE_DEVICES=1 tests/system/make_recipe "$work/lines" > "$work/mublas/recipe" &&
        multiply 1 MUBLAS_RECIPE="$work/recipe" && is_part "$(part_of 1)" $factor
    result $? "the second is $factor times slower by its kind: $(part_of 0)% and $(part_of 1)%"
done
echo "1..$number"

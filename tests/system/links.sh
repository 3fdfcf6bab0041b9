#!/bin/bash
# The rate of several devices' links together: measured by `mublas doctor` and `mublas tune`, kept in the recipe, and
# part of what a shared product is expected to take. And bench/shares on unlike devices.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_RECIPE
unset CUDA_VISIBLE_DEVICES GLIBC_TUNABLES
if [ -n "$sanitizers" ]; then
    echo "1..0 # SKIP a sanitized library cannot be loaded by the command that is started anew"
    exit 0
fi
use_emulated_system
export EMULATED_DEVICES=2 HOME=$work/home XDG_CONFIG_HOME=$work/home/config OMP_NUM_THREADS=1
mkdir -p "$XDG_CONFIG_HOME"
figure="[0-9]+\.[0-9]"

doctor() { env "$@" "$build/mublas" doctor > "$work/output" 2> "$work/errors"; }
rates="device 0 $figure, device 1 $figure, together $figure GB/s \([0-9]+%\) up from pinned memory$"
doctor A=b && grep -qE "^ok +links +$rates" "$work/output"
result $? "mublas doctor measures links one by one and together: $(grep -o 'device 0 [0-9].*' "$work/output")"
doctor EMULATED_OCCUPIED=0,4G && grep -q '^-  *links  *not checked: others use the other' "$work/output"
result $? "not of a device that others use"
doctor CUDA_VISIBLE_DEVICES=0 && ! grep -q ' links ' "$work/output"
result $? "nor where there is one"
"$build/mublas" tune --crossovers-only --routines=dsymv --time-limit=30 --output="$work/recipe" \
    > "$work/output" 2> "$work/errors" &&
    grep -qE "^links: $rates" "$work/output" &&
    grep -qE '^links-together [0-9.]+$' "$work/recipe"
result $? "mublas tune keeps that in the recipe: $(grep '^links-together' "$work/recipe")"

# How many calls the second device had a share of, where all links carry PART of what each does.
shared_at() # PART
{
    printf 'links-together %s\n' "$1" > "$work/lines"
    tests/system/make_recipe "$work/lines" > "$work/planted" || return 1
    LD_PRELOAD=$shim_preload MUBLAS_RECIPE="$work/planted" MUBLAS_OFFLOAD=always MUBLAS_DEVICE=all \
        MUBLAS_VERBOSE=2 MUBLAS_DEVICE_MEMORY=70K EMULATED_PEER=0 tests/system/shared_tiles > "$work/output" \
        2> "$work/errors" || return 1
    shared=$(grep -c 'level 3 call of .* groups for device 1$' "$work/errors")
    return 0
}
shared_at 1 && [ "$shared" -gt 5 ]
result $? "two links that carry twice what one does: $shared calls are shared"
shared_at 0.05 && [ "$shared" = 0 ]
result $? "links that are in each other's way: $shared are"

# One that is slower than its multiprocessors say. Its share by time depends on time.
EMULATED_NAMES="Large device,Small device" EMULATED_MULTIPROCESSORS=132,60 EMULATED_SLOW=2,10 \
    bench/shares 256 1 > "$work/output" 2> "$work/errors" && [ "$(grep -c '^alone ' "$work/output")" = 2 ] &&
    grep -q '^rule .*  device 0: 15 of 16  device 1: 1 of 16$' "$work/output" &&
    grep -q '^measured .*  device 0: [0-9]* of 16  device 1: [0-9]* of 16$' "$work/output"
result $? "bench/shares: shares by the rule and by time"
EMULATED_DEVICES=1 bench/shares 256 > "$work/output" 2> "$work/errors"
[ $? = 1 ] && grep -q '^shares: 1 of the devices can be used' "$work/errors"
result $? "it takes two devices"
echo "1..$number"

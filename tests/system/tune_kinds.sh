#!/bin/bash
# A machine with devices of two kinds: `mublas tune` learns each that MUBLAS_DEVICE names, beside each other,
# calls go by the recipes of both, and `mublas doctor` says which there are.
. tests/environment.sh
only_on_day TUNE_FULL 0
. "$source_tree/tests/tap.sh"
unset MUBLAS_RECIPE
unset MUBLAS_VERBOSE CUDA_VISIBLE_DEVICES GLIBC_TUNABLES
if [ -n "$sanitizers" ]; then
    echo "1..0 # SKIP a sanitized library cannot be loaded by the command that is started anew"
    exit 0
fi
use_emulated_system
export EMULATED_DEVICES=3 EMULATED_NAMES="Large device,Small (one)" EMULATED_MULTIPROCESSORS=132,60
export EMULATED_POISON=0 EMULATED_PEER=0 EMULATED_DMA=0 HOME=$work/home XDG_CONFIG_HOME= OMP_NUM_THREADS=1
mkdir "$work/home"
first=$work/home/.config/mublas/recipe second=$work/home/.config/mublas/recipe-Small--one--60
mublas() { timeout -k 5 100 "$build/mublas" "$@" > "$work/output" 2> "$work/errors"; }
tune() { EMULATED_TIME="execute 0; noise 0.01" mublas tune --shapes-only --memory=64 --routines=ssymv "$@"; }
# doctor_says PATTERN...: of recipes just these lines
doctor_says()
{
    local pattern
    mublas doctor && [ "$(grep -c ' recipe ' "$work/output")" = $# ] || return 1
    for pattern; do grep -q "^ok  *recipe  *$pattern" "$work/output" || return 1; done
}

tune && [ -s "$first" ] && [ ! -e "$second" ] && grep -q '^device Large device$' "$first" &&
    grep -q 'device 1 is another kind, Small (one): MUBLAS_DEVICE=all mublas tune learns it, too$' "$work/output"
result $? "without MUBLAS_DEVICE the first is tuned, and told how the other is"
doctor_says "$first: " "device 1, Small (one): none, .*MUBLAS_DEVICE=all mublas tune"
result $? "mublas doctor tells it, too"
cp "$first" "$work/before"
MUBLAS_DEVICE=1 tune && cmp -s "$first" "$work/before" && grep -q '^device Small (one)$' "$second" &&
    grep -q "made for the device 'Large device', .*; this one's is $second$" "$work/errors" && [ -s "$second.csv" ]
result $? "the other alone is learned beside the first's recipe, which stays"
rm "$first"*
MUBLAS_DEVICE=all tune && grep -q '^device Large device$' "$first" && grep -q '^device Small (one)$' "$second" &&
    [ "$(grep -c 'is another kind' "$work/output")" = 1 ] && [ "$(grep -c '^recipe ' "$work/output")" = 2 ]
result $? "with all devices each kind is tuned, once"
doctor_says "$first: " "device 1, Small (one): $second: "
result $? "mublas doctor names both"
MUBLAS_DEVICE=all mublas info && [ "$(grep -c '^  launch shapes: ' "$work/output")" = 2 ] &&
    sed -n '/^device 1: /,/^device 2: /p' "$work/output" | grep -q "^  launch shapes: by the recipe $second: "
result $? "mublas info, too, the other kind's beside its devices"
MUBLAS_DEVICE=1,0 tune --output="$work/named" && grep -q '^device Small (one)$' "$work/named" &&
    grep -q '^device Large device$' "$work/named-Large-device-132"
result $? "the order of devices does not matter, nor the name of the file"

# used RECIPE: the second device's launch shapes are by this recipe, as a program under the shim tells.
used()
{
    LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=always MUBLAS_DEVICE=all MUBLAS_VERBOSE=2 MUBLAS_DEVICE_MEMORY=70K \
        timeout -k 5 100 tests/system/shared_tiles > "$work/output" 2> "$work/errors" &&
        grep -q "launch shapes by the recipe $first$" "$work/errors" &&
        grep -q "launch shapes of device 1 by the recipe $1$" "$work/errors"
}
used "$second"
result $? "a program goes by the recipes of both"
"$build/tests/unit/sign_recipe" "$second" driver 'driver 12080' > "$work/other" && cp "$work/other" "$second"
! used "$second" && grep -q "launch shapes by the recipe $first$" "$work/errors"
result $? "not by one that does not fit"
! mublas doctor && grep -q "recipe  *device 1, Small (one): $second is not used: made under a driver" "$work/output"
result $? "mublas doctor says so"
MUBLAS_DEVICE=all mublas info && grep -q "^  the recipe $second is refused: made under a driver" "$work/output" &&
    grep -q '^  launch shapes: built-in rules' "$work/output"
result $? "mublas info, too"

unset EMULATED_NAMES EMULATED_MULTIPROCESSORS
EMULATED_DEVICES=2 MUBLAS_VERBOSE=2 MUBLAS_DEVICE=all mublas tune --crossovers-only --routines=dsymv --memory=64 \
    --time-limit=20 --output="$work/calls" &&
    grep -q 'device 0 is awake: .*(MUBLAS_DEVICE=0)$' "$work/errors" &&
    [ "$(grep -c 'device [0-9] is awake: .*(MUBLAS_DEVICE=all' "$work/errors")" = 2 ]
result $? "calls that are timed go to the first alone"
echo "1..$number"

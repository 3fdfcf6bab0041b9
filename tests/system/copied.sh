#!/bin/bash
# The command in a folder that was copied elsewhere: it finds the shim beside itself and relative to itself,
# before one that is installed; and where there is none nothing is begun.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_RECIPE
if [ -n "$sanitizers" ]; then
    echo "1..0 # SKIP a sanitized library cannot be loaded by programs that are not"
    exit 0
fi
use_emulated_system
export EMULATED_COUNT_FILE=$work/counts HOME=$work/home
mkdir "$work/home"
one_line() { [ "$(wc -l < "$work/errors")" = 1 ] && grep -q -e "$1" "$work/errors"; }
# copy FOLDER PLACE: the command in FOLDER/bin, the shim in FOLDER/PLACE
copy()
{
    mkdir -p "$1/bin" "$1/$2" && cp "$build/mublas" "$1/bin/mublas" &&
        cp "$build/.libs/libmublas_shim.so" "$1/$2/libmublas_shim.so"
}
preloads() # COMMAND SHIM
{
    "$1" run -- /usr/bin/env > "$work/output" 2> "$work/errors" && grep -q "^LD_PRELOAD=$2\$" "$work/output"
}

for place in bin lib "lib/$multiarch" lib64; do
    copy "$work/${place//\//-}" "$place" &&
        preloads "$work/${place//\//-}/bin/mublas" "$work/${place//\//-}/$place/libmublas_shim.so"
    result $? "the shim in $place is found by the command in bin"
done
ln -s "$work/lib/bin/mublas" "$work/link" && preloads "$work/link" "$work/lib/lib/libmublas_shim.so"
result $? "also through a link to the command"
mkdir "$work/lib/bin/.libs" && cp "$build/.libs/libmublas_shim.so" "$work/lib/bin/.libs" &&
    preloads "$work/lib/bin/mublas" "$work/lib/bin/.libs/libmublas_shim.so"
result $? "what a build left beside the command comes first"
preloads "$build/mublas" "$build/.libs/libmublas_shim.so"
result $? "the command in the build folder, as libtool leaves it, finds what was built"
cd "$work/lib" && preloads bin/mublas "$work/lib/bin/.libs/libmublas_shim.so"
result $? "by a relative path too"
cd "$build" || exit 1
"$work/lib64/bin/mublas" verify --size=16 --routines=dsymv,dgemm > "$work/output" 2> "$work/errors" &&
    grep -q '^2 of 2 routines pass' "$work/output"
result $? "mublas verify is at work in a copied folder"
OMP_NUM_THREADS=1 EMULATED_TIME= "$work/lib64/bin/mublas" tune --crossovers-only --routines=dsymv --time-limit=12 \
    --output="$work/recipe" > "$work/output" 2> "$work/errors" && [ -s "$work/recipe" ]
result $? "so is mublas tune"
"$work/lib64/bin/mublas" info > "$work/output" 2> "$work/errors" && grep -q '^device 0: ' "$work/output"
result $? "and mublas info"

spaced="$work/two words"
copy "$spaced" lib
"$spaced/bin/mublas" run -- true > "$work/output" 2> "$work/errors"
[ $? = 127 ] && one_line "^mublas run: $spaced/lib/libmublas_shim.so: a path with a space "
result $? "a path that the loader would take for two is refused"

copy "$work/bare" lib && rm "$work/bare/lib/libmublas_shim.so"
bare() { rm -f "$work/counts"; "$work/bare/bin/mublas" "$@" > "$work/output" 2> "$work/errors"; }
idle() { [ ! -s "$work/output" ] && [ ! -e "$work/counts" ] && [ ! -e "$work/none" ]; }
if bare run -- true; then
    echo "ok $((number += 1)) - without a shim # SKIP one is installed on this machine"
else
    [ $? = 127 ] && one_line "^mublas run: libmublas_shim.so is neither beside .*$work/bare/bin"
    result $? "where there is no shim mublas run says where it looked"
    bare tune --output="$work/none"
    [ $? = 1 ] && one_line '^mublas tune: libmublas_shim.so is neither' && idle
    result $? "mublas tune says so before it wakes a device"
    bare verify
    [ $? = 1 ] && one_line '^mublas verify: libmublas_shim.so is neither' && idle
    result $? "and so does mublas verify"
    bare tune --shapes-only --time-limit=1 --routines=ssymv --memory=64 --output="$work/recipe" &&
        [ -e "$work/counts" ]
    result $? "which launch shapes do not need"
fi
copy "$work/damaged" lib
# refuses COMMAND WORDS
refuses()
{
    rm -f "$work/counts"
    "$work/damaged/bin/mublas" $1 > "$work/output" 2> "$work/errors"
    [ $? = 1 ] && idle && tail -n 1 "$work/errors" | grep -q "^mublas.*$2"
    result $? "mublas ${1%% *}: $(tail -n 1 "$work/errors")"
}
echo "no library" > "$work/damaged/lib/libmublas_shim.so"
refuses "tune --output=$work/none" "the shim was not loaded"
refuses verify "the shim was not loaded"
head -c 5000 "$build/.libs/libmublas_shim.so" > "$work/damaged/lib/libmublas_shim.so" # at which the loader dies
refuses "tune --output=$work/none" "shim"
rm -f "$work/counts"
MUBLAS_CUBLAS=/nowhere/libcublas.so "$build/mublas" tune --crossovers-only --routines=dgemm,zherk --output="$work/none" \
    > "$work/output" 2> "$work/errors"
[ $? = 1 ] && idle && grep -q '^mublas tune: there is no cuBLAS' "$work/errors"
result $? "nor does it time routines of level 3 without cuBLAS"
echo "1..$number"

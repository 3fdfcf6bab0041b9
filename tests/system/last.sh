#!/bin/bash
# The main thread leaves by pthread_exit: the process ends with the program's last thread, as without mublas,
# though the driver has threads that go on for ever.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/waking_recipe.sh"
if [ "$sanitizers" = thread ]; then
    echo "1..0 # SKIP the sanitizer's runtime keeps a thread of its own"
    exit 0
fi
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
use_emulated_system
ulimit -c 0

write_waking_recipe || exit 1

# A program that uses CUDA itself, as far as that can be seen.
mkdir "$work/cuda"
cp tests/system/.libs/harmless_library.so "$work/cuda/libcudart.so.13"

# run WAY [NAME=VALUE...]: ended by SIGTERM after $patience seconds the status is 124.
patience=50
run()
{
    rm -f "$work/report"
    timeout -k 10 $patience env MUBLAS_RECIPE="$work/recipe" MUBLAS_REPORT="$work/report" EMULATED_LASTING_THREADS=1 \
        LD_PRELOAD="$shim_preload${user:+:$user}" MUBLAS_OFFLOAD=$offload tests/system/last "$1" \
        > "$work/output" 2> "$work/errors"
}
said() { [ "$(tr '\n' ' ' < "$work/output")" = "$* " ] && ! [ -s "$work/errors" ]; }
on_device() { awk '$1 == "dsymv" && $3 > 0 { found = 1 } END { exit !found }' "$work/report"; }
awake_as_meant() { [ $offload = always ] || grep -q 'opened in .*(device, in the background' "$work/report"; }

for offload in always auto; do
    run main
    [ $? = 0 ] && said calls handler && on_device && awake_as_meant
    result $? "main was the last ($offload)"
    run worker
    [ $? = 0 ] && said calls thread handler && on_device && awake_as_meant
    result $? "a thread that called was ($offload)"
    run named
    [ $? = 0 ] && said calls thread handler && on_device && awake_as_meant
    result $? "a thread that looks like the driver's was ($offload)"
    patience=2
    run stays
    [ $? = 124 ] && ! grep -q handler "$work/output"
    result $? "none was: the process goes on, until a signal ends it ($offload)"
    user=$work/cuda/libcudart.so.13
    run main
    [ $? = 124 ] && ! grep -q handler "$work/output"
    result $? "main was, but the program uses CUDA itself: the same ($offload)"
    user=
    patience=50
done
echo "1..$number"

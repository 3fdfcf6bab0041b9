#!/bin/bash
# The device wakes once calls have paid for it: the call that is to use it waits, those of other threads go on on
# the host, and forks, ends of the process and failures amid that are harmless.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/waking_recipe.sh"
unset OPENBLAS_NUM_THREADS BLIS_NUM_THREADS MKL_NUM_THREADS
export OMP_NUM_THREADS=1
use_emulated_system
ulimit -c 0

# dgemm and dsymm, which write a matrix, count 4965 us of 10000: as much as dsymv.
write_waking_recipe "host dgemm_deep 1000 10000 100000000 10000" "device dgemm_deep 1000 10 100000000 10" \
    "host dsymm_left_deep 1000 10000 100000000 10000" "device dsymm_left_deep 1000 10 100000000 10" || exit 1

# run [NAME=VALUE...] PROGRAM ARGUMENT...
run()
{
    rm -f "$work"/hold* "$work"/report*
    env MUBLAS_RECIPE="$work/recipe" MUBLAS_REPORT="$work/report-%p" MUBLAS_VERBOSE=3 EMULATED_CHILD_ABORTS=1 \
        LD_PRELOAD="${sanitizer_preload:+$sanitizer_preload:}${first:+$first:}$shim" "$@" > "$work/output" 2> "$work/errors"
}
held() { run EMULATED_INIT_HOLD="$work/hold" "$@"; }
# The same, and something else lets the device wake after a while.
held_for_a_while() { ( sleep 0.3; touch "$work/hold" ) & held "$@"; local status=$?; wait; return $status; }
on_device() # [ROUTINE]
{
    cat "$work"/report-* |
        awk -v name="${1:-dsymv}" '$1 == name && $4 ~ /^[0-9]+$/ { sum += $3 } END { print sum + 0 }'
}
digest() { cat "$work/output"; }
calls_before_it_woke() { sed '/is awake/q' "$work/errors" | grep -c '^mublas: dsymv_'; }
other_words() { grep -vE '^mublas: (device 0 is awake|the process ends|[a-z]+_ m=|launch)' "$work/errors"; }
has_other_words() { other_words | grep -q .; }
beside() { grep -q 'opened in .*(device, in the background; a call waited ' "$work"/report-*; }

run tests/system/waking steady 39
[ $? = 0 ] && [ "$(on_device)" = 23 ] && beside && [ "$(calls_before_it_woke)" = 17 ] && ! has_other_words
result $? "calls run on the device from the one on that has paid for it: $(on_device) of 40"
right=$(digest)
held_for_a_while tests/system/waking steady 39
[ $? = 0 ] && [ "$(on_device)" = 23 ] && [ "$(digest)" = "$right" ]
result $? "however long that waits for it"
run tests/system/waking steady 16
[ $? = 0 ] && [ "$(on_device)" = 0 ] && grep -q 'device *not woken' "$work"/report-* && ! has_other_words
result $? "a program that does not pay it does not wake the device"
# The 17th dgemm wakes it. cuBLAS and a first use of dgemm cost 140 ms, of which 16 have paid 79, and seven calls of
# 9990 us the rest; the first use of dsymm 70, which 8 do.
run tests/system/waking level3 60
[ $? = 0 ] && [ "$(on_device dgemm) $(on_device dsymm)" = "38 53" ] &&
    grep -q 'opened in .*(cuBLAS, in the background; ' "$work"/report-* && ! has_other_words
result $? "routines of level 3 each pay for their first use: $(on_device dgemm) and $(on_device dsymm) of 60"
first=$build/tests/system/.libs/no_threads.so
run tests/system/waking steady 39
[ $? = 0 ] && [ "$(on_device)" = 23 ] && [ "$(calls_before_it_woke)" = 17 ] && ! beside &&
    [ "$(digest)" = "$right" ]
result $? "where there can be no thread that call wakes it"
first=
run tests/system/waking threads 40
[ $? = 0 ] && [ "$(on_device)" -ge 20 ] && ! has_other_words
result $? "several threads that call: $(on_device) of 121 on the device"
held tests/system/waking threads 40 30
[ $? = 0 ] && [ "$(on_device)" -gt 0 ] && ! has_other_words &&
    cat "$work"/report-* | grep -q "not yet paid for, or under way"
result $? "one waits, others go on on the host meanwhile, and $(on_device) run on the device then"

if [ -z "$sanitizers" ]; then # whose runtimes make a fork with threads a gamble: a child may wait for their allocator
    held_for_a_while tests/system/waking fork
    [ $? = 0 ] && [ "$(on_device)" = 42 ] && [ "$(digest)" = "$right" ] &&
        grep -q 'fork child' "$work"/report-*
    result $? "a fork amid that waits for it, its child stays on the host"
fi
if [ "$sanitizers" != thread ]; then # whose runtime makes vfork a fork
    held tests/system/waking spawn
    [ $? = 0 ] && [ "$(on_device)" = 42 ] && [ "$(digest)" = "$right" ]
    result $? "programs that are started amid that do not wait for it"
fi
held tests/system/waking exec
[ $? = 0 ] && [ "$(wc -l < "$work/output")" = 1 ]
result $? "another program takes the place of one whose device wakes"
( sleep 0.3; touch "$work/hold" ) &
run EMULATED_CUBLAS_HOLD="$work/hold" tests/system/waking opening
[ $? = 0 ] && [ "$(on_device dgemm)" = 0 ] && [ -e "$work/hold.begun" ] && ! has_other_words
result $? "the process ends while cuBLAS is being opened"
wait
for way in exit last; do
    [ "$way:$sanitizers" != last:thread ] || continue # its runtime keeps a thread of its own
    held_for_a_while EMULATED_LASTING_THREADS=1 tests/system/waking $way
    [ $? = 0 ] && ! has_other_words &&
        { [ $way = last ] || { [ "$(on_device)" = 0 ] &&
            grep -q 'device *was being woken when the program ended' "$work"/report-*; }; }
    result $? "the process ends by $way amid that"
done

for fault in EMULATED_FAULTS=cuInit:1:999 EMULATED_FAULTS=cuDevicePrimaryCtxRetain:1:2 \
             EMULATED_FAULTS=cuModuleLoadData:1:300 EMULATED_FAULTS=cuInit:1:100 \
             MUBLAS_CUDA_DRIVER=/nowhere/libcuda.so; do
    run $fault tests/system/waking steady 39
    [ $? = 0 ] && [ "$(on_device)" = 0 ] && [ "$(digest)" = "$right" ] && [ "$(other_words | wc -l)" = 1 ] &&
        grep -q 'device *none usable' "$work"/report-*
    result $? "$fault: all on the host, with one line"
    [ "$sanitizers" != thread ] || break
done
echo "1..$number"

#!/bin/bash
# Fork with and without exec: children stay on the host and never touch the device, new
# programs start anew, and each process reports its own calls, once.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
ulimit -c 0

run() # WAY
{
    rm -f "$work"/*
    LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=always MUBLAS_REPORT="$work/report-%p" EMULATED_CHILD_ABORTS=1 \
        tests/system/forking "$1" > "$work/output" 2> "$work/errors"
}
right() { [ ! -s "$work/output" ] && [ ! -s "$work/errors" ]; }
on_device() { awk '$1 == "total" { print $3 }' "$1"; }
reports() { cat /dev/null "$work"/report-* | grep -c '^mublas report'; }
reports_with_device() # how many reports tell of calls on the device
{
    local file sum=0
    for file in "$work"/report-*; do
        [ "$(on_device "$file")" -gt 0 ] && sum=$((sum + 1))
    done
    echo $sum
}
stayed_for() { cat "$work"/report-* |
    awk -v reason="$1" '$2 > 0 && index($0, reason) { n += $2 } END { print n + 0 }'; }

run storm && right && [ "$(reports)" = 1 ] && [ "$(reports_with_device)" = 1 ]
result $? "forks while other threads are in the middle of calls"
# The first calls allocate and load, in a child as well. Its parent's threads may have held locks
# when it was forked: glibc frees its own in the child, the sanitizers' allocators do not.
what="forks while other threads make the first calls"
if [ -n "$sanitizers" ]; then
    skip "$what" "a child of threads cannot allocate under sanitizers"
else
    status=0
    for ((process = 0; process < 20 && status == 0; process++)); do
        run early && right && [ "$(reports)" -ge 1 ]
        status=$?
    done
    result $status "$what"
fi
# ThreadSanitizer ends a child that starts threads.
if [ "$sanitizers" != thread ]; then
    run threads && right && [ "$(reports)" = 1 ]
    result $? "threads in a child, and in its child"
fi
run handlers && right && [ "$(reports)" = 2 ] && [ "$(reports_with_device)" = 1 ] &&
    [ "$(stayed_for 'fork child')" = 8 ]
result $? "fork and exit handlers that call BLAS; parent and child report once, each its own"
if [ -z "$sanitizers" ]; then
    run spawn && right && [ "$(reports)" = 4 ] && [ "$(reports_with_device)" = 4 ]
    result $? "programs that are started by fork, vfork and posix_spawn use the device themselves"
fi
run daemon && right
result $? "a daemon's calls"
echo "1..$number"

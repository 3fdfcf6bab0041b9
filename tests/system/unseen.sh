#!/bin/bash
# Memory that is written in ways that no page table shows (doc/coherence.md): each
# is found by its rule. If a rule can be switched off, or its sign be kept away, the same writes must give wrong
# results: else they were not unseen, and the test would say nothing.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
ulimit -c 0
harmless=tests/system/.libs/harmless_library.so

run() # [SETTING=VALUE...] PROGRAM WAY [LIBRARY]
{
    local settings=()
    while [[ $1 = *=* ]]; do settings+=("$1"); shift; done
    rm -f "$work/report" "$work/output" "$work/errors"
    env LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always MUBLAS_REPORT="$work/report.%p" "${settings[@]}" \
        "tests/system/$@" > "$work/output" 2> "$work/errors"
    status=$?
    case $1:$status in cases/*:2) status=77; cp "$work/errors" "$work/output" ;; esac
    cat "$work"/report.* > "$work/report"
    rm -f "$work"/report.*
}
on_device() { awk '$1 == "total" && $3 > 0 { found = 1 } END { exit !found }' "$work/report"; }
# Right, on the device, with the words that belong to it.
right() # PATTERN WHAT
{
    [ $status != 77 ] || { skip "$2" "$(cat "$work/output")"; return; }
    [ $status = 0 ] && on_device && [ "$(grep -c . "$work/errors")" = "$(grep -c "$1" "$work/errors")" ] &&
        { [ "$1" = '^$' ] || grep -q "$1" "$work/errors"; }
    result $? "$2"
}
unseen() # WHAT
{
    [ $status != 77 ] || { skip "$1" "$(cat "$work/output")"; return; }
    [ $status = 1 ] && grep -qE '^wrong: calls on what came|DIFFERS$' "$work/output"
    result $? "$1"
}

warning='^mublas: this process uses memory that can be written unseen'
run unseen fixed
uring=$status
right "$warning" "an io_uring fixed buffer of the program's own"
run MUBLAS_TRUST_TRACKING=1 unseen fixed
unseen "which would be wrong if the tracking were trusted"
for name in libibverbs.so.1 librdmacm.so.1 libxpmem.so.0 libknem.so libcxi.so.1 libfabric.so.1 libefa.so.1 libpsm2.so.2 \
    libpsm3-fi.so libopx-fi.so libuct_ib.so.0; do
    cp "$harmless" "$work/$name"
    run unseen receive "$work/$name"
    right "$warning" "what arrives as by RDMA, with $name"
done
run unseen receive
unseen "which would be wrong without a library that tells"
run cases/received_packets
right "$warning" "packets that an AF_XDP socket receives"
run MUBLAS_TRUST_TRACKING=1 cases/received_packets
unseen "which would be wrong if the tracking were trusted"
run unseen alias
right '^$' "shared memory written through its alias"
run unseen child
right '^$' "shared memory written by another process"
run MUBLAS_TRUST_TRACKING=1 MUBLAS_VERBOSE=2 unseen dropped
if [ "$uring" = 77 ]; then
    skip "pinned matrices that get other pages" "$(cat "$work/output")"
else
    grep -q '^mublas: pinned' "$work/errors"
    result $? "two large matrices are pinned"
    right '^mublas: ' "and get other pages"
fi
run unseen_cuda copy
right '^$' "a thread's own copies from the device"
# The emulated driver's pins show in VmPin, the real one's do not: then only the driver can tell.
run MUBLAS_TRUST_TRACKING=1 unseen_cuda inner
right '^$' "columns that a thread has pinned and writes by DMA"
echo "1..$number"

#!/bin/bash
# A device that fails in the middle of calls: the host does them, right, with few words.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
ulimit -c 0

# Was the N-th call of the function made, so that it could fail?
happened() { awk -v name="$1" -v n="$2" '$1 == name { calls += $2 } END { exit calls < n }' "$work/counts"; }

fails() # FUNCTION:N RESULT [SIZE]
{
    local event=$1 result=$2 status words
    shift 2
    rm -f "$work"/*
    ( LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=always EMULATED_FAULTS=$event:$result EMULATED_COUNT_FILE=$work/counts \
          tests/system/failing "$@" > "$work/output" 2> "$work/errors"
      exit $? ) 2> "$work/shell"
    status=$?
    words=$(grep -c '^mublas:' "$work/errors")
    if [ $status = 134 ] && [[ $event:$result = COPY_BACK:*:sticky ]] && [ $# = 1 ]; then
        # The device is lost while an updated matrix comes back: that cannot be mended.
        grep -q '^mublas: dsyr2k.*they are lost' "$work/errors" && [ "$words" -le 3 ]
        result $? "$event:$result $*: the end, with the reason"
        return
    fi
    [ $status = 0 ] && [ ! -s "$work/output" ] && [ "$words" -le 2 ] &&
        [ "$(wc -l < "$work/errors")" = "$words" ]
    result $? "$event:$result $*: right results, $words lines"
    [ $status != 0 ] || happened "${event%:*}" "${event#*:}"
    result $? "$event:$result $*: and that call was made"
}

# Half of them, others every day.
sampled FAILURES_FULL=1
turn=0
try() { [ -z "$FAILURES_FULL" ] && ! in_sample 2 $((turn++)) || fails "$@"; }
for result in 1 701 800 719:sticky; do
    [ -n "$FAILURES_FULL" ] || turn=$((turn + 1)) # not the same events for each result
    for event in KERNEL:1 KERNEL:2 KERNEL:3 cuMemcpyDtoHAsync_v2:1 cuMemcpyDtoHAsync_v2:2 COPY_BACK:1; do
        try $event $result
    done
    try cuMemcpyDtoHAsync_v2:1 $result 200
    try COPY_BACK:1 $result 200
    try cuMemcpy2DAsync_v2:1 $result 1500 # pinned
    try COPY_BACK:1 $result 1500
done
for result in 3 13 14; do
    try cublasDsyr2k_v2:1 $result 200
    try cublasDsyr2k_v2:1 $result 1500
done
echo "1..$number"

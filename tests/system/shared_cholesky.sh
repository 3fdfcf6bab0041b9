#!/bin/bash
# potrf on one, two and three emulated devices, alike and unlike: all right, with the same bits again and again,
# each block sent once up and once home; and when a device fails on the way the host does it.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
export MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=2 EMULATED_PEER=0
program=tests/system/shared_cholesky
[ -x $program ] || { echo "1..0 # SKIP no LAPACK to link with"; exit 0; }

of_types() # TYPES: from here on; lines of output, and calls on devices and of bad matrices
{
    types=$1 lines=$((14 * ${#1})) calls=$((12 * ${#1})) bad=$((2 * ${#1}))
}
# Types differ by their precision.
of_types c

run() # MUBLAS_DEVICE [SETTING...]
{
    rm -f "$work/counts"
    timeout -k 5 300 env LD_PRELOAD="$shim_preload" MUBLAS_DEVICE="$1" MUBLAS_REPORT="$work/report" \
        EMULATED_COUNT_FILE="$work/counts" "${@:2}" $program $types > "$work/output" 2> "$work/errors" &&
        grep -q "^1\.\.$lines\$" "$work/output" && ! grep '^not ok' "$work/output"
}
digest() { grep '^# digest' "$work/output"; }
# How many calls the device of this ordinal had a share of, and of how many blocks in all.
shared_by() { grep -c "Cholesky factorisation of order .* for device $1\$" "$work/errors"; }
blocks_of() { sed -n "s/.*Cholesky factorisation .*: \([0-9]*\) of .* for device $1\$/\1/p" "$work/errors" | awk '{ sum += $1 } END { print sum + 0 }'; }
# Calls that the report has on the device, and on the host.
ran() { awk -v column="$1" '$1 ~ /^[sdcz]potrf$/ && $2 == 14 { sum += $column } END { print sum + 0 }' "$work/report"; }
copies() { awk -v name="$1" '$1 == name { print $2 }' "$work/counts"; }

run all EMULATED_DEVICES=1 && [ "$(shared_by 0)" = 0 ] && [ "$(ran 3)" = $calls ]
result $? "one device: nothing is shared, $(ran 3) calls there"
export EMULATED_DEVICES=2
run all && [ "$(shared_by 0)" = $lines ] && [ "$(shared_by 1)" = $lines ] && [ "$(ran 3)" = $calls ] &&
    [ "$(ran 4)" = $bad ]
result $? "two alike: all right, $(ran 3) calls there, and those of bad matrices on the host: $(ran 4)"
once=$(digest)
run all && [ "$(digest)" = "$once" ]
result $? "the same bits again: $once"
# Memory that the program has pinned goes by DMA, a triangle as other strips than by staging. Under sanitizers
# test_staging has the same copies.
if [ -z "$sanitizers" ]; then
    rm -f "$work/counts"
    run all && staged=$(copies cuMemcpy2DAsync_v2)
    rm -f "$work/counts"
    run all SHARED_CHOLESKY_PINNED=1 && [ "$(shared_by 1)" = $lines ] && [ "$(digest)" = "$once" ] &&
        direct=$(copies cuMemcpy2DAsync_v2) && [ "$direct" -ne "${staged:-0}" ]
    result $? "pinned by the program: ${staged:-0} copies of rows became ${direct:-0}, with the same bits"
    rm -f "$work/counts"
    run all SHARED_CHOLESKY_PINNED=1 MUBLAS_PINNED_MEMORY=0 && [ "$(digest)" = "$once" ] &&
        [ "$(copies cuMemcpy2DAsync_v2)" -lt $((${direct:-0} / 2)) ]
    result $? "not with MUBLAS_PINNED_MEMORY=0: blocks are staged whole, in $(copies cuMemcpy2DAsync_v2) copies"
    run all SHARED_CHOLESKY_PINNED=apart EMULATED_STRICT=0 && [ "$(digest)" = "$once" ] &&
        [ "$(ran 3)" = $calls ] && [ "$(grep -c 'failed: CUDA_ERROR_INVALID_VALUE' "$work/errors")" = 1 ]
    result $? "pinned in two pieces, of which the driver copies none at once: by staging, after one line"
fi
[ "$(copies cuMemcpyPeerAsync)" -gt $calls ]
result $? "blocks go from one to the other: $(copies cuMemcpyPeerAsync)"
run all EMULATED_PEER=1 && [ "$(digest)" = "$once" ] && ! [ "$(copies cuCtxEnablePeerAccess)" -gt 0 ] 2> /dev/null
result $? "the same bits where they could have access to each other's memory, which is the program's to ask for"

unlike="EMULATED_NAMES=Large,Small EMULATED_MULTIPROCESSORS=60,20 EMULATED_DEVICE_MEMORY=1G,512M"
run all $unlike && [ "$(ran 3)" = $calls ] && [ "$(blocks_of 1)" -gt 0 ] &&
    [ "$(blocks_of 0)" -gt $((3 * $(blocks_of 1) / 2)) ]
result $? "two unlike: all right, $(blocks_of 0) and $(blocks_of 1) blocks"
once=$(digest)
run all $unlike && [ "$(digest)" = "$once" ]
result $? "the same bits again: $once"
# The rest depends on the steps alone.
of_types d
export EMULATED_DEVICES=3
run all EMULATED_NAMES=Large,Small,Smallest EMULATED_MULTIPROCESSORS=60,55,50 EMULATED_DEVICE_MEMORY=1G,512M,256M &&
    [ "$(ran 3)" = $calls ] && [ "$(blocks_of 2)" -gt 0 ] && [ "$(blocks_of 0)" -gt "$(blocks_of 2)" ]
result $? "three unlike: all right, $(blocks_of 0), $(blocks_of 1) and $(blocks_of 2) blocks"
export EMULATED_DEVICES=2

lost() { grep -c "^mublas: device $1 is left alone from now on" "$work/errors"; }
faults="cuMemcpyPeerAsync@0:5 cuMemcpyPeerAsync@1:9 cublasDgemm_v2@1:7 cusolverDnXpotrf@0:11 \
    KERNEL@1:20 cuEventRecord@0:90 cuEventRecord@1:97 cuStreamWaitEvent@1:13"
[ -z "$sanitizers" ] || faults="cuMemcpyPeerAsync@1:9 cusolverDnXpotrf@0:11 cuEventRecord@1:97"
# Half of them, others every day.
sampled SHARED_CHOLESKY_FULL=1
turn=0
on_turn() { [ -n "$SHARED_CHOLESKY_FULL" ] || in_sample 2 $((turn++)); }
for fault in $faults; do
    on_turn || continue
    code=719 device=${fault#*@}
    device=${device%:*}
    case $fault in cu[bs]*) code=14 ;; esac
    run all EMULATED_FAULTS="$fault:$code$([ $code = 14 ] || echo :sticky)" && [ "$(ran 4)" -gt $bad ] &&
        { [ $code = 14 ] || [ "$(lost "$device")" = 1 ]; } && [ "$(lost $((1 - device)))" = 0 ]
    result $? "$fault fails: all right, $(ran 4) calls on the host"
done
# Lost between the steps of the first or the second factorisation: what the others wait for never comes.
lost_at() # CALL...: of $device and $devices; how often all was right, and the others were not lost with it
{
    local right=0
    for call; do
        run all EMULATED_DEVICES="$devices" EMULATED_FAULTS="cuEventRecord@$device:$call:719:sticky" &&
            [ "$(grep -c '^mublas: device . is left alone' "$work/errors")" = 1 ] &&
            [ "$(lost "$device")" = 1 ] && right=$((right + 1))
    done
    echo $right
}
of_types d
of_two="3 8 12 15" of_three="2 10"
[ -z "$sanitizers" ] || of_two="4 9" of_three=7
lose_at() # DEVICE DEVICES CALLS...
{
    local device=$1 devices=$2 right call calls_of_day=()
    for call in "${@:3}"; do ! on_turn || calls_of_day+=("$call"); done
    [ ${#calls_of_day[@]} -gt 0 ] || return
    right=$(lost_at "${calls_of_day[@]}")
    [ "$right" = ${#calls_of_day[@]} ]
    result $? "of $devices devices number $device is lost at steps ${calls_of_day[*]}: $right times all right"
}
for device in 0 1; do
    lose_at $device 2 $of_two
done
for device in 0 1 2; do
    lose_at $device 3 $of_three
done
run all EMULATED_FAULTS="COPY_BACK@1:29:2,COPY_BACK@0:39:2" &&
    grep -q 'copying its result to the host: out of device memory' "$work/errors"
result $? "copies home that fail half way are made again"
# Half of it home, and the device lost: it cannot be computed again, and no other result is right.
run all EMULATED_FAULTS=cuStreamSynchronize@1:20:719:sticky
[ $? != 0 ] && ! grep '^not ok' "$work/output" && grep -q 'potrf_: the device failed while results were copied back; they are lost' "$work/errors"
result $? "a device lost while its blocks come home: the program stops with one line"
memory=cuMemAlloc_v2@1
run all EMULATED_FAULTS="$memory:4:2,$memory:5:2,$memory:6:2" && [ "$(ran 3)" -ge $((calls - 1)) ]
result $? "no memory on the second device: one does it"
echo "1..$number"

#!/bin/bash
# Level 3 calls whose operands no device holds, on one, two and three emulated devices, alike and unlike:
# all right by their definition, shared as the plan says, with the same bits again and again; and what a
# device that fails leaves is done by the others, or by the host.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
export MUBLAS_OFFLOAD=always MUBLAS_DEVICE_MEMORY=70K MUBLAS_VERBOSE=2 EMULATED_PEER=0

run() # MUBLAS_DEVICE [SETTING...]
{
    timeout -k 5 300 env LD_PRELOAD="$shim_preload" MUBLAS_DEVICE="$1" MUBLAS_REPORT="$work/report" "${@:2}" \
        tests/system/shared_tiles > "$work/output" 2> "$work/errors" &&
        grep -q '^1\.\.12$' "$work/output" && ! grep '^not ok' "$work/output"
}
digest() { grep '^# digest' "$work/output"; }
# How many calls the device of this ordinal had a share of.
shared_by() { grep -c "level 3 call of .* groups for device $1\$" "$work/errors"; }
all_ran() { awk '$1 == "total" { right = $3 > 0 && $4 == 0 } END { exit !right }' "$work/report"; }

run all EMULATED_DEVICES=1 && all_ran && [ "$(shared_by 0)" = 0 ] && grep -q 'in tiles of' "$work/errors"
result $? "one device: nothing is shared"
export EMULATED_DEVICES=2
run all && all_ran && [ "$(shared_by 0)" = 13 ] && [ "$(shared_by 1)" = 13 ]
result $? "two alike: $(shared_by 0) and $(shared_by 1) of 13 calls shared, all right"
once=$(digest)
run all && [ "$(digest)" = "$once" ] && run 1,0 && [ "$(digest)" = "$once" ]
result $? "the same bits again, and in another order of devices: $once"
groups() { sed -n 's/.* tiles of .*: \([0-9]*\) groups for device \([01]\)$/\2 \1/p' "$work/errors"; }
groups | awk '{ sum[$1] += $2 }
    END { print sum[0], sum[1]; exit !(sum[0] > 0 && sum[0] <= 1.2 * sum[1] && sum[1] <= 1.2 * sum[0]) }' \
    > "$work/sums"
result $? "equal shares of equal devices: $(cat "$work/sums")"

# Memory that the program has pinned for all devices goes by DMA, as it lies there: in copies of rows.
copies() { awk -v name="$1" '$1 == name { print $2 }' "$work/counts"; }
rm -f "$work/counts"
run all EMULATED_COUNT_FILE="$work/counts" && staged=$(copies cuMemcpy2DAsync_v2)
rm -f "$work/counts"
run all EMULATED_COUNT_FILE="$work/counts" SHARED_TILES_PINNED=1 && all_ran && [ "$(shared_by 1)" = 13 ] &&
    direct=$(copies cuMemcpy2DAsync_v2) && [ "$direct" -gt $((2 * ${staged:-0} + 100)) ] &&
    [ "$(digest)" = "$once" ]
result $? "pinned by the program: ${staged:-0} copies of rows became ${direct:-0}, with the same bits"
run all SHARED_TILES_PINNED=1 EMULATED_FAULTS="COPY_BACK@1:4:2,COPY_BACK@0:30:2" && all_ran
result $? "copies back by DMA that fail half way are made again"

# The fourth paper's rule: 30 to 20 multiprocessors is its 9 to 1.
unlike="EMULATED_NAMES=Large,Small EMULATED_MULTIPROCESSORS=30,20"
run all $unlike && all_ran && [ "$(shared_by 0)" -gt 0 ] && [ "$(shared_by 0)" = "$(shared_by 1)" ]
result $? "two unlike: $(shared_by 0) calls shared"
groups | awk '{ sum[$1] += $2 }
    END { part = sum[1] / (sum[0] + sum[1]); print part; exit !(part > 0.07 && part < 0.13) }' > "$work/part"
result $? "the smaller has a tenth: $(cat "$work/part")"
once=$(digest)
run all $unlike && [ "$(digest)" = "$once" ]
result $? "the same bits again: $once"
run all $unlike EMULATED_DEVICES=3 EMULATED_DEVICE_MEMORY=1G,512M,256M && all_ran &&
    [ "$(shared_by 0)" -gt 0 ] && [ "$(shared_by 1)" -gt 0 ] && [ "$(shared_by 2)" -gt 0 ]
result $? "three, two of them alike: $(shared_by 0), $(shared_by 1) and $(shared_by 2) calls"
run all EMULATED_NAMES=Large,Tiny EMULATED_MULTIPROCESSORS=132,1 && all_ran && [ "$(shared_by 1)" = 0 ]
result $? "a device too small to help does nothing"

lost() { grep -c "^mublas: device $1 is left alone from now on" "$work/errors"; }
sampled
for call in $(in_sample 2 0 && echo 3 30 || echo 15 45); do
    run all EMULATED_FAULTS="cuStreamSynchronize@1:$call:719:sticky" && all_ran && [ "$(lost 1)" = 1 ] &&
        [ "$(lost 0)" = 0 ]
    result $? "the second device is lost at its wait $call: the first does the rest"
done
run all EMULATED_FAULTS="cuStreamSynchronize@0:40:719:sticky" && [ "$(lost 0)" = 1 ] && [ "$(lost 1)" = 0 ]
result $? "the first device is lost: the second does the rest"
# Which call that meets, and how far it is, depends on how the devices' threads meet.
rest=0 right=0
for call in 37 61 83 101 127; do
    run all EMULATED_FAULTS="cuStreamSynchronize:$call:719:sticky" && [ "$(lost 0)" = 1 ] &&
        [ "$(lost 1)" = 1 ] && right=$((right + 1))
    grep -q 'all devices failed in the middle of a large level 3 call; the host' "$work/errors" &&
        rest=$((rest + 1))
done
[ $right = 5 ] && [ $rest -gt 0 ]
result $? "both are lost, five times: all right, and the host does the rest of $rest calls"
failing=cublasDgemm_v2@1:9:14,cublasDsymm_v2@0:5:14,COPY_BACK@1:4:2,COPY_BACK@0:30:2
run all EMULATED_FAULTS=$failing && all_ran
result $? "products and copies back that fail: all right"
memory=cuMemAlloc_v2@1
run all EMULATED_FAULTS="$memory:1:2,$memory:2:2,$memory:3:2,$memory:4:2" && all_ran
result $? "no memory on the second device: all right"
echo "1..$number"

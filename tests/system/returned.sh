#!/bin/bash
# Calls on two and three devices give back what they take: device memory, pinned memory, streams, events and threads of
# all devices are no more after many calls than after half of them, also where some fail on the way.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/shared_calls.sh"
[ -x tests/system/returned ] || { echo "1..0 # SKIP no LAPACK to link with"; exit 0; }
calls=40
# The program is instrumented, so that it can be asked for its own leaks, too.
case $sanitizers in *address*) export ASAN_OPTIONS=detect_leaks=1:use_sigaltstack=0 ;; esac

returned() # KIND [SETTING...]
{
    timeout -k 5 300 env LD_PRELOAD="$shim_preload" MUBLAS_REPORT="$work/report" "$(memory_for "$1")" "${@:2}" \
        tests/system/returned "$1" $calls > "$work/output" 2> "$work/errors" && ! [ -s "$work/output" ]
}
# Calls that ran on devices: what they could not give back others would miss.
on_device() { awk -v calls=$calls '$1 ~ /^d(gemm|gemv|potrf)$/ && $2 == calls { print $3 }' "$work/report"; }
# A fault at every N-th call of FUNCTION, from the first half of the program on: what the host, or one device,
# takes to stand in for the others stays.
faults() # FUNCTION RESULT N LAST
{
    local at list=
    for ((at = $3; at <= $4; at += $3)); do list=$list,$1:$at:$2; done
    echo "${list#,}"
}

for EMULATED_DEVICES in 2 3; do
    export EMULATED_DEVICES
    for kind in product vector factor; do
        returned $kind && all_worked
        result $? "$kind on $EMULATED_DEVICES devices: nothing is more after $calls calls than after half"
    done
done
export EMULATED_DEVICES=2
# Half of the rows, others every day.
sampled RETURNED_FULL=1
row=0
while read -r kind function code step last; do
    [ -n "$RETURNED_FULL" ] || in_sample 2 $((row++)) || continue
    returned "$kind" "EMULATED_FAULTS=$(faults "$function" "$code" "$step" "$last")" && [ "$(on_device)" -ge 15 ]
    result $? "$kind, where $function fails at every call $step of it: $(on_device) there, $(tr '\n' ' ' < "$work/output")"
done << END
product cublasDgemm_v2 14 610 9600
product COPY_BACK 2 60 800
product cuMemAlloc_v2 2 9 90
vector cuLaunchKernel 2 17 400
vector COPY_BACK 2 11 100
vector cuMemcpyHtoDAsync_v2 2 7 90
factor cublasDgemm_v2 14 17 480
factor cusolverDnXpotrf 14 13 160
factor cuMemcpyPeerAsync 2 9 120
factor cuEventCreate 2 31 400
factor cuMemcpyDtoHAsync_v2 2 23 300
END
# Others wait for a panel that never comes, where there is one of before.
for call in 8 18 28; do
    returned factor EMULATED_FAULTS=cuEventRecord@0:$call:719:sticky
    result $? "factor, where the first device is lost at its event $call: $(tail -n 1 "$work/errors")"
done
echo "1..$number"

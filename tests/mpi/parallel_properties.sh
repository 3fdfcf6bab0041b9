#!/bin/bash
# Random calls of every parallel routine on the emulated device, of four ranks and of six: each is right, leaves
# alone what it must, and runs on the device if it is legal. PARALLEL_SEED repeats a run, SCALAPACK_FULL=1 makes
# more of them.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/mpi/mpi.sh"
skip_without_scalapack
alone
use_emulated_system
seed=${PARALLEL_SEED:-$((RANDOM * 32768 + RANDOM))}
[ -z "$SCALAPACK_FULL" ] && counts=([4]=160 [6]=60) || counts=([4]=4000 [6]=2000)
echo "# seed $seed"

# On the host the same calls are judged by the same measure: the test knows what is right.
on_ranks 4 300 tests/mpi/parallel_properties "$seed" 86 host 0
grep -qE '^calls [4-9][0-9] device 0 wrong 0$' "$work/output"
result $? "the host's routines are right by the same measure: $(tail -n 1 "$work/output")"
for ranks in 4 6; do
    on_ranks $ranks 3000 env MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=3 LD_PRELOAD="$shim_preload" \
        tests/mpi/parallel_properties "$seed" "${counts[ranks]}" device
    status=$?
    sed -n 's/^# call/# seed '"$seed"', '$ranks' ranks, call/p' "$work/output"
    awk -v wanted="${counts[ranks]}" '$1 == "calls" && $2 == wanted && $4 > wanted * 0.7 && $6 == 0 { good = 1 }
        END { exit !good }' "$work/output" && [ $status = 0 ]
    result $? "$ranks ranks through mublas: $(grep '^calls' "$work/output")"
done
left=$(leftovers)
[ -z "$left" ]
result $? "nothing is left behind: $left"
echo "1..$number"

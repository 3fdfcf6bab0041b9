#!/bin/bash
# Ranks that go by services of their devices: their own calls at once, and parallel routines by the owner, whose service
# has the ranks' shared memory, too. A device that has no service is the rank's own.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
unset MUBLAS_TEST_SHIM MUBLAS_DEVICE CUDA_VISIBLE_DEVICES
[ -z "$scalapack_missing" ] || { echo "1..0 # SKIP $scalapack_missing"; exit 0; }
use_emulated_driver
use_reference_libraries
export OMP_NUM_THREADS=1 EMULATED_DEVICES=2 SLURM_GPUS_ON_NODE=2
options=()
if "$mpirun" --version 2>&1 | grep -q "Open MPI"; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    options=(--oversubscribe --bind-to none)
fi

# The loader's settings are for the program alone, not for mpirun.
solve() # RANKS NAME [SETTING...]
{
    local ranks=$1 name=$2 libraries=$LD_LIBRARY_PATH
    shift 2
    rm -f "$work"/report.* "$work"/log.*
    # shellcheck disable=SC2016
    LD_LIBRARY_PATH='' timeout -k 5 300 "$mpirun" "${options[@]}" -n "$ranks" env LD_LIBRARY_PATH="$libraries" WORK="$work" \
        MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=2 MUBLAS_REPORT="$work/report.%p" "$@" \
        sh -c 'LD_PRELOAD='"$shim_preload"' exec "$@" 2>> "$WORK/log.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"' sh \
        tests/mpi/symmetric 96 16 evd "$work/$name" > "$work/output" 2> "$work/errors" &&
        awk '$1 == "residual" { good = $2 < 1 && $4 < 1 } END { exit !good }' "$work/output"
}
served() { grep -l 'through the service$' "$work"/log.* | wc -l; }
clients() # MUBLAS SERVE'S OPTIONS...
{
    "$build/mublas" serve "$@" --status | sed -n '1s/.*; \([0-9]*\) so far.*/\1/p'
}

solve 2 alone && [ "$(served)" = 0 ]
result $? "without a service"
start_service --device=0 --keep
first=$service_process
result $? "a service of the first device"
solve 4 halves MUBLAS_PARALLEL=never && [ "$(served)" = 2 ] && [ "$(grep -l 'device 1 by' "$work"/report.* | wc -l)" = 2 ]
result $? "ranks of the other device make their own contexts"
start_service --device=1 --keep
second=$service_process
result $? "a service of the other device"
solve 4 own MUBLAS_PARALLEL=never && [ "$(served)" = 4 ] && [ "$(clients --device=0)" = 4 ] && [ "$(clients --device=1)" = 2 ]
result $? "each rank goes by that of its device"
solve 2 parallel && [ "$(served)" -ge 1 ] && grep -q 'MiB that ranks share are pinned' "$work"/log.* || ! sed 's/^/# /' "$work"/log.* "$work/errors"
result $? "a parallel routine's owner goes by it, and its service pins what ranks share"
cmp -s "$work/alone" "$work/parallel"
result $? "with the bits that it has without"
"$build/mublas" serve --device=0 --stop > "$work/stopped" && wait "$first" && [ ! -s "$work/service_errors" ]
result $? "the first ends"
"$build/mublas" serve --device=1 --stop > "$work/stopped" && wait "$second"
result $? "and the other"
"$build/mublas" serve --device=two > "$work/output" 2>&1
[ $? = 2 ] && grep -q "'--device=two' names no device by its number" "$work/output"
result $? "a device without a number"
"$build/mublas" serve --device=7 > "$work/output" 2>&1
[ $? = 1 ] && grep -q 'there is no device 7' "$work/output"
result $? "a device that is not there"

echo "1..$number"

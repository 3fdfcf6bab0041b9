#!/bin/bash
# ScaLAPACK's symmetric eigensolvers under mpirun, two and four ranks on two emulated devices: the
# same eigenvalues as one process on the host BLAS finds, every rank on its own device. The ranks' own calls do the
# work: parallel routines are switched off.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
[ -z "$scalapack_missing" ] || { echo "1..0 # SKIP $scalapack_missing"; exit 0; }
use_emulated_system
export OMP_NUM_THREADS=1 EMULATED_DEVICES=2
size=${SCALAPACK_SIZE:-150} block=16
options=()
if "$mpirun" --version 2>&1 | grep -q "Open MPI"; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    options=(--oversubscribe --bind-to none)
fi

# The loader's settings are for the program alone, not for mpirun.
solve() # RANKS ev|evd NAME [SETTING...]
{
    local ranks=$1 solver=$2 name=$3 libraries=$LD_LIBRARY_PATH
    shift 3
    LD_LIBRARY_PATH='' timeout 120 "$mpirun" "${options[@]}" -n "$ranks" env LD_LIBRARY_PATH="$libraries" "$@" \
        tests/mpi/symmetric "$size" "$block" "$solver" "$work/$name" > "$work/output" 2> "$work/errors"
}
# Residual and orthogonality in units of N times the rounding error.
accurate() { awk '$1 == "residual" { good = $2 < 1 && $4 < 1 } END { exit !good }' "$work/output"; }
same_eigenvalues() # NAME NAME
{
    paste "$work/$1" "$work/$2" | awk -v size="$size" '
        function magnitude(x) { return x < 0 ? -x : x }
        NF != 2 { bad = 1 }
        { if (magnitude($1) > largest) largest = magnitude($1)
          if (magnitude($1 - $2) > difference) difference = magnitude($1 - $2) }
        END { exit !(NR == size && !bad && difference <= size * 2.2e-16 * largest) }'
}
# Every rank has a report that says its device, the one it is to have, and calls that ran there.
devices_are_right() # RANKS
{
    local rank report reports=("$work"/report.*)
    [ ${#reports[@]} = "$1" ] || return 1
    for ((rank = 0; rank < $1; rank++)); do
        report=$(grep -lE "device $((rank % 2)) by [A-Z_0-9]+=$rank, 2 visible, shared by $(($1 / 2)) of $1 ranks; " \
            "${reports[@]}") || return 1
        awk '$1 == "total" { device = $3 } END { exit !(device > 100) }' "$report" || return 1
    done
}

solve 1 ev serial && accurate
result $? "one process, host BLAS: $(cat "$work/output")"
for run in "2 ev" "4 evd" ${SCALAPACK_FULL:+"2 evd" "4 ev" "8 evd"}; do
    read -r ranks solver <<< "$run"
    rm -f "$work"/report.*
    solve "$ranks" "$solver" parallel LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always MUBLAS_PARALLEL=never \
        MUBLAS_REPORT="$work/report.%p" &&
        accurate
    result $? "pdsy$solver on $ranks ranks through mublas: $(cat "$work/output")"
    same_eigenvalues serial parallel
    result $? "finds the eigenvalues that one process finds on the host"
    devices_are_right "$ranks"
    result $? "each rank works on the device of its local rank"
done
echo "1..$number"

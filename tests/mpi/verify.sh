#!/bin/bash
# `mublas verify --parallel` under mpirun: parallel routines agree with the host's own ScaLAPACK, of Open MPI and of
# MPICH, and what does not is told. A sample; all routines by SCALAPACK_FULL=1.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
[ -z "$scalapack_missing" ] || { echo "1..0 # SKIP $scalapack_missing"; exit 0; }
[ -z "$sanitizers" ] || { echo "1..0 # SKIP the command opens ScaLAPACK with RTLD_DEEPBIND, which sanitizers refuse"; exit 0; }
use_emulated_system
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
sample=pdsyevd limit=120
sampled SCALAPACK_FULL=1
for routine in pzhegvx psgetrf pchegst pdgemm; do
    ! on_turn SCALAPACK_FULL || sample=$sample,$routine
done
[ -z "$SCALAPACK_FULL" ] || sample='' limit=1800

# The loader's settings are for the program alone, not for mpirun.
verify() # MPIRUN RANKS [SETTING...] [OPTION...]
{
    local launcher=$1 ranks=$2 libraries=$LD_LIBRARY_PATH settings=() options=()
    shift 2
    while [[ $1 == [A-Z]* ]]; do settings+=("$1"); shift; done
    "$launcher" --version 2>&1 | grep -qE "Open MPI|OpenRTE" && options=(--oversubscribe --bind-to none)
    LD_LIBRARY_PATH='' timeout $limit "$launcher" "${options[@]}" -n "$ranks" env LD_LIBRARY_PATH="$libraries" \
        "${settings[@]}" "$build/mublas" verify --parallel "$@" > "$work/output" 2> "$work/errors"
}
all_pass()
{
    awk '/ routines pass$/ { good = $1 == $3 && $1 > 0 } END { exit !good }' "$work/output" &&
        ! grep -q FAIL "$work/output" || { sed 's/^/# /' "$work/output" "$work/errors"; return 1; }
}

for launcher in mpirun.openmpi mpirun.mpich; do
    command -v $launcher > /dev/null || { result 0 "$launcher # SKIP it is not installed"; continue; }
    # Ranks of MPICH wait for each other without giving their processors up.
    [ $launcher = mpirun.openmpi ] || sample=${sample:+pdsyevd}
    verify $launcher 4 ${sample:+--routines=$sample} && all_pass && grep -q "on a grid of 2 x 2" "$work/output"
    result $? "$launcher, four processes: $(tail -n 1 "$work/output")"
done
verify "$mpirun" 3 --routines=pzheev,pstrsm && all_pass && grep -q "on a grid of 1 x 3" "$work/output"
result $? "three processes: $(tail -n 1 "$work/output")"

! verify "$mpirun" 2 MUBLAS_PARALLEL=never --routines=pdpotrf && grep -q '^pdpotrf .* FAIL: .* stayed on the host' "$work/output"
result $? "calls that stay on the host do not pass"
! verify "$mpirun" 2 --routines=pdpotrf --scalapack=/nowhere/libscalapack.so &&
    grep -q 'mublas verify: --scalapack: .*/nowhere/libscalapack.so' "$work/errors" && grep -q '^pdpotrf .*not reached' "$work/output"
result $? "a library that is not there is named"
"$build/mublas" verify --parallel > "$work/output" 2> "$work/errors"
[ $? = 2 ] && grep -q 'no launcher has started this process' "$work/errors"
result $? "without a launcher it says so"
! verify "$mpirun" 1 --routines=dgemm && grep -q "'dgemm' is not a parallel routine" "$work/errors"
result $? "names of other routines are refused"
echo "1..$number"

# shellcheck shell=bash
# Sourced after environment.sh and tap.sh by the tests of parallel programs: how to run one.
#   skip_without_scalapack
#   on_ranks RANKS SECONDS COMMAND...    with the settings of this shell; three times as long on a busy machine.
# Ranks that wait spin: they give way to the tests beside.
# A rank's standard error goes to $work/log.RANK, and what mpirun writes to $work/output and $work/errors.
mpirun=${mpirun:-$(command -v mpirun)}
mpirun_libraries= # where mpirun itself finds some
mpi_options=()
if [ -n "$mpirun" ] && "$mpirun" --version 2>&1 | grep -q "Open MPI"; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # Ranks that wait give way to others: there are more of them than cores.
    export OMPI_MCA_mpi_yield_when_idle=1
    mpi_options=(--oversubscribe --bind-to none)
fi
# The launcher's own files lie apart from those of the tests beside.
export TMPDIR=$work OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

skip_without_scalapack()
{
    [ -z "$scalapack_missing" ] || { echo "1..0 # SKIP $scalapack_missing"; exit 0; }
}

# The loader's settings are for the program alone, not for mpirun. A file for each rank: mublas writes to no other
# standard error than it found.
rank_prefix()
{
    # shellcheck disable=SC2016
    prefix=(env LD_LIBRARY_PATH="$LD_LIBRARY_PATH" "WORK=$work" sh -c
            'exec "$@" 2>> "$WORK/log.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"' sh)
}

on_ranks()
{
    local ranks=$1 seconds=$2 prefix
    shift 2
    rank_prefix
    rm -f "$work"/log.*
    LD_LIBRARY_PATH=$mpirun_libraries timeout -k 5 $((3 * seconds)) nice -n 5 "$mpirun" "${mpi_options[@]}" \
        -n "$ranks" "${prefix[@]}" "$@" > "$work/output" 2> "$work/errors" < /dev/null
}

# Names of sockets that no process of another job has: the last runs'.
names_left()
{
    local inode name holder
    awk -v mine="@mublas/$(id -u)/" 'index($8, mine) == 1 && $7 != 0 { print $7, $8 }' /proc/net/unix |
        while read -r inode name; do
            holder=$(find /proc/[0-9]*/fd -lname "socket:\[$inode\]" 2> /dev/null | head -n 1 | cut -d / -f 3)
            [ -n "$holder" ] && ! grep -zqsxF "WORK=$work" "/proc/$holder/environ" ||
                ! grep -qF " $inode $name" /proc/net/unix || echo "$name of process $holder"
        done
}

# Processes, sockets and pages that the last runs have left: lines, or nothing.
leftovers()
{
    local tries
    for ((tries = 0; tries < 30; tries++)); do
        { find /dev/shm -iname "*mublas*" 2> /dev/null
          names_left
          grep -lzsxF "WORK=$work" /proc/[0-9]*/environ; } > "$work/left"
        [ -s "$work/left" ] || return 0
        sleep 0.1
    done
    cat "$work/left"
}

# Tests whose ranks spin run one after the other.
alone()
{
    ! command -v flock > /dev/null || { exec 9> tests/mpi/alone.lock && flock 9; }
}

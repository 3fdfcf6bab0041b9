#!/bin/bash
# Reports of a parallel program: the owner's has the work, the others' name it, and all say why calls stayed on the
# host. Texts and pages agree.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
[ -z "$scalapack_missing" ] || { echo "1..0 # SKIP $scalapack_missing"; exit 0; }
use_emulated_system
export OMP_NUM_THREADS=1
options=()
if "$mpirun" --version 2>&1 | grep -q "Open MPI"; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    options=(--oversubscribe --bind-to none)
fi

# The loader's settings are for the program alone, not for mpirun.
solve() # RANKS ORDER [SETTING...]
{
    local ranks=$1 order=$2 libraries=$LD_LIBRARY_PATH
    shift 2
    rm -f "$work"/report*
    LD_LIBRARY_PATH='' timeout 60 "$mpirun" "${options[@]}" -n "$ranks" env LD_LIBRARY_PATH="$libraries" \
        MUBLAS_OFFLOAD=always LD_PRELOAD="$shim_preload" "$@" tests/mpi/symmetric "$order" 16 evd "$work/values" \
        > "$work/output" 2> "$work/errors"
}
# In each of these reports.
all_say() # PATTERN REPORT...
{
    local pattern=$1 report
    shift
    for report; do grep -qE -- "$pattern" "$report" || { echo "# $report lacks: $pattern"; sed 's/^/# /' "$report"; return 1; }; done
}

solve 4 60 MUBLAS_REPORT="$work/report.%r"
reports=("$work"/report.[0-3])
[ ${#reports[@]} = 4 ] && all_say '^  pdsyevd +2 +1 +1 +60( +[0-9]+\.[0-9]{3}){4}$' "${reports[@]}" &&
    all_say '^  pdgemm +2 +2 +0 +60 ' "${reports[@]}" &&
    all_say '^  pdsyevd +1  only asks for the size of a workspace$' "${reports[@]}"
result $? "a report of each rank, though all its calls were parallel ones"
owner=$(sed -n 's/^mublas report of process \([0-9]*\), rank 0 of 4.*/\1/p' "$work/report.0")
all_say 'put s +work s' "$work/report.0" && all_say 'This process owned the device' "$work/report.0" &&
    all_say "Process $owner, rank 0, owned the device" "$work"/report.[1-3] && all_say 'put s +wait s' "$work"/report.[1-3] &&
    all_say "all calls ran on the GPU, by process $owner, rank 0" "$work"/report.[1-3]
result $? "the owner's has the work, the others' have their wait and name it"
# One report of the job. Ranks beside the owner wake no device. (A sanitizer's runtime has to come before the shim.)
if [ -z "$sanitizers" ]; then
    libraries=$LD_LIBRARY_PATH
    LD_LIBRARY_PATH='' timeout 60 "$mpirun" "${options[@]}" -n 4 env LD_LIBRARY_PATH="$libraries" MUBLAS_OFFLOAD=always MUBLAS_SERVICE=never "$build/mublas" run \
        --report="$work/job.html" -- tests/mpi/symmetric 60 16 evd "$work/values" > "$work/output" 2> "$work/errors"
    [ "$(sed '/<details class="process">/,$d' "$work/job.html" | grep -c '^<tr><th scope="row">[0-9]*</th>.*<td>4</td></tr>$')" = 4 ] &&
        [ "$(sed '/<details class="process">/,$d' "$work/job.html" | grep -c 'Seconds are those of all processes')" = 1 ]
    result $? "the job's page has each rank's parallel calls"
    ! sed '/<details class="process">/,$d' "$work/job.html" | grep -q 'not woken' && grep -q '<dd>Emulated device' "$work/job.html"
    result $? "and the device that the job used"
fi

if command -v python3 > /dev/null; then
    solve 2 60 MUBLAS_REPORT="$work/report.%r.html"
    for page in "$work"/report.[01].html; do
        python3 "$source_tree/tests/system/check_page.py" "$page" || false
        result $? "the page ${page##*/} says what its text says"
    done
fi

solve 2 40 MUBLAS_REPORT="$work/report.%r" MUBLAS_PARALLEL=never
all_say '^  - Parallel routines are the host.s in this job, [0-9]+ calls on all ranks alike: MUBLAS_PARALLEL=never' "$work"/report.[01] &&
    all_say '^  pdgemm +2  nothing is served in this job$' "$work"/report.[01]
result $? "what is switched off is told"
solve 2 40 MUBLAS_REPORT="$work/report.%r" OMPI_COMM_WORLD_LOCAL_SIZE=1 OMPI_COMM_WORLD_LOCAL_RANK=0 MPI_LOCALNRANKS=1 MPI_LOCALRANKID=0
all_say 'the job runs on several machines. mublas serves the grids of one machine' "$work"/report.[01]
result $? "several machines"
solve 1 40 MUBLAS_REPORT="$work/report"
all_say '^  pdgemm +2 +2 +0 +40 ' "$work/report" && ! grep -q 'owned the device' "$work/report"
result $? "a grid of one process has nobody else"
echo "1..$number"

#!/bin/bash
# packaging/slurm_job.sh, with stand-ins for Slurm: `module` reads the installed module file, `srun` starts ranks with
# what Slurm sets for them.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
for variable in $(compgen -e | grep -E '^(OMPI_|PMIX?_|MPI_|SLURM_)'); do unset "$variable"; done
export MUBLAS_OFFLOAD=always MUBLAS_MPS=never MUBLAS_SERVICE=never LIBRARIES=$LD_LIBRARY_PATH work build version
version=$(sed -n 's/^AC_INIT(\[mublas\], \[\(.*\)\])$/\1/p' "$source_tree/configure.ac")
mkdir "$work/bin"
ln -s "$build/mublas" "$work/bin/mublas"
module()
{
    [ "$*" = "load mublas/$version" ] || { echo "module: no $*" >&2; return 1; }
    PATH=$work/bin:$PATH
}
srun()
{
    local rank ranks=() status=0
    for ((rank = 0; rank < SLURM_NTASKS; rank++)); do
        SLURM_STEP_NUM_TASKS=$SLURM_NTASKS SLURM_PROCID=$rank SLURM_LOCALID=$rank SLURM_STEP_TASKS_PER_NODE=$SLURM_NTASKS \
            "$@" &
        ranks+=($!)
    done
    for rank in "${ranks[@]}"; do wait "$rank" || status=1; done
    return $status
}
export -f module srun
# As sbatch does: the script's copy, where it was called.
cp "$source_tree/packaging/slurm_job.sh" "$work/script" && cd "$work" || exit 1
tasks=$(sed -n 's/^#SBATCH --ntasks=//p' script)
SLURM_JOB_ID=77 SLURM_NTASKS=$tasks bash script "$build/tests/system/counted" > "$work/output" 2> "$work/errors"
result $? "the job script runs $tasks ranks"
grep -q ' test product ' doctor-77.txt
result $? "it keeps what mublas doctor says"
[ "$(echo report*)" = report-77.txt ] && [ "$(grep -c '^mublas report of process' report-77.txt)" = "$tasks" ] &&
    grep -q "^mublas report of $tasks processes" report-77.txt && [ "$(awk '$1 == "total" && $3 > 0' report-77.txt | wc -l)" = $((tasks + 1)) ]
result $? "one report of all ranks, with calls of each on the device: $(grep -c '^mublas report of process' report-77.txt) of $tasks"
grep -q "shared by $tasks of $tasks ranks" report-77.txt
result $? "they share the device: $(sed -n 's/^  device *//p' report-77.txt | head -n 1)"
echo "1..$number"

#!/bin/bash
#SBATCH --job-name=mublas
#SBATCH --nodes=1
#SBATCH --ntasks=8
#SBATCH --gpus=1
#SBATCH --time=00:30:00
# A job of 8 ranks on one GPU: copy it, name the program, sbatch slurm_job.sh. `mublas run` starts a service, one process
# that has the GPU, for ranks that share one, or else NVIDIA's MPS, where it is installed; with a GPU for each rank say --gpus-per-task=1 instead.
# ARGUMENTS: program and arguments, for those who pass them: sbatch slurm_job.sh ./my_program input.dat
module load mublas/0.2.0
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
mublas doctor > "doctor-$SLURM_JOB_ID.txt" || echo "see doctor-$SLURM_JOB_ID.txt" >&2
# One report of all ranks of a node. With --nodes=2 each node adds its name to the file's, and this makes one of them:
#   mublas report report-JOB.txt.*
srun mublas run --report="report-$SLURM_JOB_ID.txt" -- "${@:-./my_program}"

#!/bin/bash
# Each process of a parallel program takes a device by its local rank; those on one device divide
# its memory. The launcher's variables alone: tests/mpi has a launcher.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
for variable in $(compgen -e |
    grep -E '^(OMPI_|PMIX?_|MPI_|SLURM_|MV2_|MVP_|PALS_|JSM_|FLUX_)'); do unset "$variable"; done
use_emulated_system
export MUBLAS_OFFLOAD=always EMULATED_DEVICES=2 EMULATED_DEVICE_MEMORY=1000M

device_of() # SETTING...: the report's line
{
    env "$@" LD_PRELOAD="$shim_preload" MUBLAS_REPORT="$work/report" tests/system/counted > /dev/null 2> "$work/errors"
    sed -n 's/^  device *//p' "$work/report"
}
says() # TEXT SETTING...
{
    local text=$1
    shift
    device_of "$@" > "$work/line"
    grep -qF -- "$text" "$work/line" &&
        awk '$1 == "total" { device = $3 } END { exit !(device > 0) }' "$work/report"
}
quiet() { [ ! -s "$work/errors" ]; }

says "device 0 by default, the first of 2 visible; " MUBLAS_REPORT=0 && quiet
result $? "without a launcher: the first"
for rank in 0 1 2 3; do
    says "device $((rank % 2)) by OMPI_COMM_WORLD_LOCAL_RANK=$rank, 2 visible, shared by 2 of 4 ranks; " \
        OMPI_COMM_WORLD_LOCAL_RANK=$rank OMPI_COMM_WORLD_LOCAL_SIZE=4 && quiet
    result $? "rank $rank of 4 on 2 devices"
done
# 80% of half of 1000 MiB
grep -q ' of 400 MiB on the device' "$work/line"
result $? "of whose memory it takes its share: $(cat "$work/line")"
says " of 800 MiB on the device" EMULATED_DEVICES=4 MPI_LOCALRANKID=3 MPI_LOCALNRANKS=4
result $? "a device of its own: all of it"
says " of 123 MiB on the device" OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=4 MUBLAS_DEVICE_MEMORY=123M
result $? "an amount in bytes is each rank's"
says " of 800 MiB on the device" CUDA_VISIBLE_DEVICES=1 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2
result $? "likewise one that CUDA_VISIBLE_DEVICES chose"
says "device 1 by MUBLAS_DEVICE=1; " MUBLAS_DEVICE=1 OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2 && quiet
result $? "MUBLAS_DEVICE comes before"
says "device 0 by default" OMPI_COMM_WORLD_LOCAL_RANK=first &&
    [ "$(cat "$work/errors")" = "mublas: OMPI_COMM_WORLD_LOCAL_RANK='first' is not a local rank; it is ignored" ]
result $? "a bad rank is ignored with one line"
says "none usable" MUBLAS_DEVICE=2
[ "$(cat "$work/errors")" = "mublas: MUBLAS_DEVICE=2: there are only 2 devices; staying on the host" ]
result $? "a device that is not there: the host, with one line"

# A launcher's ranks keep their reports apart; a single process's is where it was asked for.
reports() # MUBLAS_REPORT NAMES SETTING...: processes with the settings, in turn, leave reports of these names
{
    local form=$1 names=$2 setting
    shift 2
    rm -f "$work"/rank*
    for setting in "$@"; do
        env $setting LD_PRELOAD="$shim_preload" MUBLAS_REPORT="$work/$form" tests/system/counted > /dev/null || return 1
    done
    [ "$(cd "$work" && echo rank*)" = "$names" ] &&
        [ "$(grep -lE '^  total +21 ' "$work"/rank* | wc -l)" = "$(wc -w <<< "$names")" ]
}
reports rank "rank.0 rank.1 rank.2" "OMPI_COMM_WORLD_RANK="{0,1,2}" OMPI_COMM_WORLD_SIZE=3"
result $? "three ranks: three reports"
grep -qE '^mublas report of process [0-9]+, rank 2 of 3 \(' "$work/rank.2"
result $? "that say whose they are"
reports rank "rank.0 rank.1" "PMI_RANK="{0,1}" PMI_SIZE=2" &&
    reports rank "rank.3 rank.4" SLURM_STEP_NUM_TASKS=9" SLURM_PROCID="{3,4} &&
    reports rank "rank.7" PALS_RANKID=7
result $? "by other launchers"
reports rank rank "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1" &&
    reports rank rank "SLURM_PROCID=0 SLURM_NTASKS=4"
result $? "a single rank, and a batch script's program: one"
reports rank-%r.txt "rank-0.txt rank-1.txt" "OMPI_COMM_WORLD_RANK="{0,1}" OMPI_COMM_WORLD_SIZE=2" &&
    reports rank-%r rank-0 A=b
result $? "%r is the rank, 0 without a launcher"
OMPI_COMM_WORLD_LOCAL_RANK=1 "$build/mublas" info > "$work/info" 2>&1 &&
    grep -q '^device 1: Emulated device' "$work/info" &&
        grep -q '^  chosen by OMPI_COMM_WORLD_LOCAL_RANK=1, 2 visible$' "$work/info"
result $? "mublas info says so too"
echo "1..$number"

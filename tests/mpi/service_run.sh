#!/bin/bash
# `mublas run` starts a service once for the ranks that share a device, and it ends behind the last of them.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
unset MUBLAS_TEST_SHIM MUBLAS_OFFLOAD MUBLAS_DEVICE MUBLAS_MPS MUBLAS_SERVICE CUDA_VISIBLE_DEVICES CUDA_MPS_PIPE_DIRECTORY \
    CUDA_MPS_LOG_DIRECTORY SLURM_GPUS_ON_NODE MPS_BROKEN
mpirun=${mpirun:-$(command -v mpirun)}
[ -n "$mpirun" ] && command -v "$mpirun" > "$work/which" || { echo "1..0 # SKIP there is no mpirun"; exit 0; }
use_emulated_driver
use_reference_libraries
options=()
if "$mpirun" --version 2>&1 | grep -q "Open MPI"; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    options=(--oversubscribe --bind-to none)
fi
export MPS_CALLS=$work/calls TMPDIR=$work/launcher MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=2 OMP_NUM_THREADS=1
mkdir -m 700 "$work/bin" "$work/launcher"
cp "$source_tree/tests/mpi/nvidia-cuda-mps-control" "$work/bin/"
# A rank: what it was told of MPS, and its calls. GPUS: each has one of so many for its own.
cat > "$work/rank" << 'END'
#!/bin/bash
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
[ -z "$GPUS" ] || export CUDA_VISIBLE_DEVICES=$((rank % GPUS))
exec "$1" run -- bash -c 'echo "mps=$CUDA_MPS_PIPE_DIRECTORY" > "$1/rank.$2"; exec tests/system/counted' rank "$2" "$rank" \
    > "$2/output.$rank" 2> "$2/errors.$rank"
END
chmod +x "$work/rank"

# job RANKS [SETTING...]: to its end, with a folder of its own for the services that it starts
jobs=0
job()
{
    local ranks=$1 libraries=$LD_LIBRARY_PATH
    shift
    jobs=$((jobs + 1))
    [ -n "$kept" ] || { export XDG_RUNTIME_DIR=$work/runtime.$jobs; mkdir -m 700 "$XDG_RUNTIME_DIR"; }
    rm -f "$work"/rank.* "$work"/output* "$work"/errors* "$work"/report* "$work/calls"
    touch "$work/calls"
    [ -z "$before" ] || $before
    LD_LIBRARY_PATH='' PATH=$work/bin:$PATH timeout -k 5 300 "$mpirun" "${options[@]}" -n "$ranks" \
        env LD_LIBRARY_PATH="$libraries" MUBLAS_REPORT="$work/report.txt" "$@" "$work/rank" "$build/mublas" "$work" > "$work/output" 2> "$work/errors"
}
through() { [ "$(grep -l 'through the service$' "$work"/errors.* | wc -l)" = "$1" ]; } # RANKS
# That serve this job, or are about to end.
servers() { pgrep -x mublas | while read -r process; do
    grep -zqsx serve "/proc/$process/cmdline" && grep -zqsxF "XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" "/proc/$process/environ" &&
        echo "$process"; done; }
count_servers() { [ "$(servers | wc -l)" = "$1" ]; }
# The ranks used so many services; they may have ended since.
went_by() { [ "$(grep -oE 'process [0-9]+ has the device; calls waited' "$work/report.txt" | sort -u | wc -l)" = "$1" ]; }
mps_was_called() { [ -s "$work/calls" ]; }
told_no_mps() { ! grep -q 'mps=.' "$work"/rank.*; }
says() { [ "$(cat "$work"/errors.* | grep -c "mublas run: .*$2")" = "$1" ]; } # TIMES TEXT

# told STATUS WHAT: a result, and after a failure what the ranks wrote.
told()
{
    result "$1" "$2"
    [ "$1" = 0 ] || head -n 12 "$work"/errors.* "$work"/rank.* "$work/calls" 2> /dev/null | sed 's/^/# /'
}

# One client more keeps the service for what is asked of it behind the job.
keep()
{
    export XDG_RUNTIME_DIR=$work/runtime.1
    until_true is_served && exec tests/unit/service_taker nothing < "$work/keep" > "$work/kept"
}
is_served() { "$build/mublas" serve --status 2> "$work/nothing" | grep -q ' serves '; }
mkfifo "$work/keep"
keep &
keeper=$!
exec 7<> "$work/keep"
job 16 && through 16 && went_by 1 && until_true count_servers 1 && ! mps_was_called && told_no_mps && says 0 ""
told $? "sixteen ranks that start at once have one service, and no MPS"
first=$(servers)
first_folder=$XDG_RUNTIME_DIR
until_status " to 1 client; 17 so far"
result $? "all were its clients: $(head -n 1 "$work/status")"
is_detached() # PROCESS: no file of the rank's, a session of its own, no preload, its working folder is /
{
    [ "$(ps -o sid= -p "$1" | tr -d ' ')" = "$1" ] && [ "$(readlink "/proc/$1/cwd")" = / ] &&
        ! tr '\0' '\n' < "/proc/$1/environ" | grep -qE '^(LD_PRELOAD|MUBLAS_REPORT)=' &&
        ! readlink "/proc/$1"/fd/* | grep -E "$work/(output|errors)|/dev/pts" > "$work/which" &&
        [ "$(readlink "/proc/$1/fd/0")" = /dev/null ]
}
is_detached "$first"
result $? "it has nothing of the rank that started it: $(cat "$work/which")"
exec 7>&- && wait $keeper
result $? "the client that has kept it ends"

job 4 && through 4 && [ "$(grep -c '^  service  *process [0-9]* has the device$' "$work/report.txt")" = 1 ] &&
    [ "$(grep -c '^  service  *process [0-9]* has the device; calls waited' "$work/report.txt")" = 4 ]
told $? "the report of the job names it, and each rank's says how long its calls waited"
job 4 SLURM_GPUS_ON_NODE=2 EMULATED_DEVICES=2 GPUS=2 && through 4 && went_by 2 && says 0 ""
told $? "ranks that have a device each of two: a service for each device"
job 4 SLURM_GPUS_ON_NODE=2 EMULATED_DEVICES=2 && through 4 && went_by 2 && says 0 ""
told $? "ranks that are dealt two devices, too"
job 2 SLURM_GPUS_ON_NODE=2 EMULATED_DEVICES=2 && through 0 && count_servers 0 && ! mps_was_called
told $? "none where each has a device"
job 1 && through 0 && count_servers 0
told $? "none for one rank"
job 2 MUBLAS_SERVICE=never && through 0 && count_servers 0 && mps_was_called && ! told_no_mps
told $? "never: MPS as without it"
job 2 MUBLAS_OFFLOAD=never && through 0 && count_servers 0 && ! mps_was_called
told $? "none for a program that is to use the host alone"
echo 'int main(void) { return 0; }' | $compiler -static -o "$work/static" -x c - 2> "$work/which" &&
    OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2 "$build/mublas" run -- "$work/static" > "$work/output" 2> "$work/errors" &&
    count_servers 0 && OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2 "$build/mublas" run -- true && count_servers 1
result $? "nor for one whose calls mublas does not get: $(head -n 1 "$work/errors")"
servers | xargs -r kill # nobody came
job 2 MUBLAS_CUDA_DRIVER="$work/none" && through 0 && count_servers 0 && says 0 "service"
told $? "without a driver: none, without a word"

plant() { mkdir -m 755 "$XDG_RUNTIME_DIR/mublas-service-$(id -u)"; }
before=plant job 4 && through 0 && count_servers 0 && says 1 "the service does not start: .* is not a folder of this user alone" &&
    mps_was_called && ! told_no_mps && [ "$(cat "$work"/output.* | sort | uniq -c | awk '$1 % 4 { bad = 1 } END { print bad + 0 }')" = 0 ]
told $? "one that does not start: a line of one rank, MPS, and the programs run"

kept=yes
service_folder=$work/runtime.kept
export XDG_RUNTIME_DIR=$service_folder
folder=$XDG_RUNTIME_DIR/mublas-service-$(id -u)
mkdir -m 700 "$XDG_RUNTIME_DIR" "$folder"
# Files of a server that was killed, and of one that runs.
( umask 077; touch "$folder"/0123456789abcdef{,.lock} "$folder"/fedcba9876543210{,.lock} "$folder/mine" )
exec 8< "$folder/fedcba9876543210.lock" && flock 8
start_service --keep && job 1 && through 1 && job 2 && through 2 && count_servers 1 && ! mps_was_called
told $? "one that the user has started serves a single process, and a job"
[ ! -e "$folder/0123456789abcdef" ] && [ ! -e "$folder/0123456789abcdef.lock" ] && [ -e "$folder/fedcba9876543210" ] &&
    [ -e "$folder/fedcba9876543210.lock" ] && [ -e "$folder/mine" ]
result $? "it has removed what one has left that was killed, and nothing else: $(cd "$folder" && echo *)"
rm "$folder"/fedcba9876543210* "$folder/mine"
"$build/mublas" serve --stop > "$work/stopped" && count_servers 0 && [ -z "$(ls -A "$XDG_RUNTIME_DIR")" ]
result $? "--stop comes back when it has ended, and nothing is left of it: $(ls -A "$XDG_RUNTIME_DIR")"

gone() { [ ! -e "/proc/$first" ] && [ -z "$(ls -A "$first_folder")" ]; }
until_true gone
result $? "the first one ended behind its last client, and nothing is left of it: $(ls -A "$first_folder")"
echo "1..$number"

#!/bin/bash
# `mublas run` starts MPS once for the ranks that share a device, and it ends with the last of them.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_TEST_SHIM MUBLAS_OFFLOAD MUBLAS_DEVICE MUBLAS_MPS CUDA_VISIBLE_DEVICES CUDA_MPS_PIPE_DIRECTORY \
    CUDA_MPS_LOG_DIRECTORY SLURM_GPUS_ON_NODE MPS_BROKEN
[ -z "$sanitizers" ] || { echo "1..0 # SKIP a sanitized library cannot be loaded by programs that are not"; exit 0; }
mpirun=${mpirun:-$(command -v mpirun)}
[ -n "$mpirun" ] && command -v "$mpirun" > "$work/which" || { echo "1..0 # SKIP there is no mpirun"; exit 0; }
[ ! -e /tmp/nvidia-mps/control ] || { echo "1..0 # SKIP this machine has an MPS of its own"; exit 0; }
export MUBLAS_SERVICE=never
use_emulated_system
options=()
if "$mpirun" --version 2>&1 | grep -q "Open MPI"; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    options=(--oversubscribe --bind-to none)
fi
# The launcher's own files lie apart from those of the tests beside.
export XDG_RUNTIME_DIR=$work/runtime MPS_CALLS=$work/calls TMPDIR=$work/launcher
mkdir -m 700 "$work/runtime" "$work/bin" "$work/launcher"
cp "$source_tree/tests/mpi/nvidia-cuda-mps-control" "$work/bin/"
# A rank: its process, what it was told, and the end of the file that it waits for.
cat > "$work/rank" << 'END'
#!/bin/bash
echo "$$ $CUDA_MPS_PIPE_DIRECTORY $CUDA_MPS_LOG_DIRECTORY" > "$1/rank.$OMPI_COMM_WORLD_RANK$PMI_RANK"
while [ -e "$1/wait" ]; do sleep 0.05; done
tests/system/counted > /dev/null
END
chmod +x "$work/rank"

# begin RANKS [SETTING...]: beside the script; until all of its ranks run
begin()
{
    local ranks=$1 libraries=$LD_LIBRARY_PATH
    shift
    rm -f "$work"/rank.* "$work"/report* "$work"/calls
    touch "$work/calls" "$work/wait"
    LD_LIBRARY_PATH='' PATH=$work/bin:$PATH timeout 120 "$mpirun" "${options[@]}" -n "$ranks" \
        env LD_LIBRARY_PATH="$libraries" "$@" "$build/mublas" run --report="$work/report.%r" -- "$work/rank" "$work" \
        > "$work/output" 2> "$work/errors" &
    job=$!
    until_true eval '[ "$(cat "$work"/rank.* 2> /dev/null | wc -l)" = '"$ranks" ']'
}
until_true() # COMMAND...: within 20 seconds
{
    local i
    for ((i = 0; i < 400; i++)); do
        "$@" && return 0
        sleep 0.05
    done
    return 1
}
finish() { rm -f "$work/wait"; wait "$job"; }
called() { [ "$(cut -d ' ' -f 1 "$work/calls" | xargs)" = "$1" ]; }
nothing_is_left() { [ -z "$(ls -A "$work/runtime")" ] && ! pgrep -f "$work/runtime" > "$work/which"; }
ended() { called "start quit" && nothing_is_left; }
says() { [ "$(grep -l "^  MPS  *$1\$" "$work"/report* | wc -l)" = "$2" ]; }
started_for() # RANKS: all were told of one folder
{
    called start && [ "$(cut -d ' ' -f 2- "$work"/rank.* | sort | uniq -c | awk '{ print $1 }')" = "$1" ] &&
        [ "$(cut -d ' ' -f 2-3 "$work/calls")" = "$(cut -d ' ' -f 2-3 "$work/rank.0")" ] &&
        [ "$(stat -c %a "$work"/runtime/* "$work"/runtime/*/*/ | sort -u)" = 700 ]
}
told_nothing() { called "" && [ -z "$(cut -d ' ' -f 2- "$work"/rank.* | tr -d ' \n')" ] && nothing_is_left; }

# told STATUS WHAT: a result, and after a failure what the ranks and the control program were told besides.
told()
{
    result "$1" "$2"
    [ "$1" = 0 ] || { head -n 20 "$work"/rank.* "$work/calls" 2> /dev/null; ls -AR "$work/runtime"; pgrep -fa "$work"; } | sed 's/^/# /'
}

begin 4 CUDA_VISIBLE_DEVICES=0 SLURM_GPUS_ON_NODE=1 && started_for 4 && grep -q ' preload= visible=$' "$work/calls"
told $? "four ranks on a device: started once, in a folder of this user alone, without their environment"
finish && says "started for the job" 4 && ! grep -q mublas "$work/errors"
told $? "the reports of all say so"
until_true ended
told $? "it ends with the last of them, and nothing is left"

begin 4 && started_for 4 && kill -9 "$(cut -d ' ' -f 1 "$work/rank.2")" && { finish; until_true ended; }
told $? "after the end of one by a signal, by which the launcher ends the others"
begin 4 && started_for 4 && kill -9 "$job" $(cut -d ' ' -f 1 "$work"/rank.*) && { finish; until_true ended; }
told $? "after the end of all"
begin 4 && watcher=$(pgrep -f "^$build/mublas run .*$work/rank") && kill -9 "$watcher" && finish &&
    [ -n "$(ls "$work/runtime")" ] && begin 2 && finish && until_true nothing_is_left
told $? "where who watched was killed the next job ends it"

begin 1 && told_nothing && finish && ! grep -q "^  MPS" "$work"/report*
told $? "not for a single rank"
begin 4 EMULATED_DEVICES=4 CUDA_VISIBLE_DEVICES=0,1,2,3 && told_nothing && finish && says ".*" 0
told $? "nor where each has a device"
begin 2 MUBLAS_MPS=never && told_nothing && finish && says never 2
told $? "never: not started"
begin 2 MUBLAS_OFFLOAD=never && told_nothing && finish
told $? "nor for a program that is to use the host alone"
mkdir "$work/mps" && mkfifo "$work/mps/control" && exec 9<> "$work/mps/control"
begin 2 CUDA_MPS_PIPE_DIRECTORY="$work/mps" && called "" && nothing_is_left && finish && says "the machine's" 2
told $? "nor where one runs"
exec 9>&-
begin 2 PATH="$PATH" && told_nothing && finish && says "not installed" 2 && ! grep -q mublas "$work/errors"
told $? "not installed: without a word"
begin 2 MPS_BROKEN=1 && called "" && finish && until_true nothing_is_left && [ "$(grep -c 'does not start MPS' "$work/errors")" = 1 ]
told $? "one that does not start: one line, and the program runs"

# The folder's name is the launcher's process, here this script's.
rank() { OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2 PATH=$work/bin:$PATH \
    "$build/mublas" run -- "$work/rank" "$work" > "$work/output" 2> "$work/errors"; }
folder=$work/runtime/mublas-mps.$(id -u).$$.$(printf %x "$(awk '{ print $22 }' "/proc/$$/stat")")
refused()
{
    rm -f "$work"/rank.* "$work/calls" "$work/wait"
    touch "$work/calls"
    rank && called "" && [ -z "$(cut -d ' ' -f 2- "$work"/rank.* | tr -d ' \n')" ] &&
        [ "$(cat "$work/errors")" = "mublas run: MPS is not started: $folder is not a folder of this user alone" ]
}
mkdir "$work/elsewhere" && ln -s "$work/elsewhere" "$folder" && refused && [ -z "$(ls "$work/elsewhere")" ]
told $? "a link in the folder's place is not followed"
rm "$folder" && mkdir -m 755 "$folder" && refused && [ -z "$(ls "$folder")" ]
told $? "a folder that others may read is refused"
rmdir "$folder" && touch "$folder" && refused
told $? "so is a file"
rm "$folder"
chmod 755 "$work/runtime" && rank && [[ $(cut -d ' ' -f 2 "$work/rank.") = /tmp/mublas-mps.* ]] &&
    until_true eval '[ ! -e "/tmp/${folder##*/}" ]'
told $? "without a private XDG_RUNTIME_DIR: in /tmp"
echo "1..$number"

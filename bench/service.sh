#!/bin/bash
# What a service gains: each figure on the host, with a context of each process's own, and through a warm service.
#   bench/service.sh BUILD [RANKS [PART]]
# BUILD has libmublas_shim.so, mublas and bench/service (make bench/service); the host BLAS is the one that the program
# finds. RANKS: processes at once, 16 unless it says other, each on a processor of its own. PART divides all orders, for
# a machine without a GPU.
set -u -o pipefail
build=$(cd "${1:?the folder of the build}" && pwd)
ranks=${2:-16} part=${3:-1}
shim=$build/.libs/libmublas_shim.so
program=$build/bench/service
[ -x "$program" ] || { echo "there is no $program: make bench/service" >&2; exit 1; }
work=$(mktemp -d)
trap 'stop; rm -rf "$work"' EXIT
mkdir -m 700 "$work/runtime"
export XDG_RUNTIME_DIR=$work/runtime
server=
processors=$(nproc)

stop()
{
    [ -z "$server" ] || { "$build/mublas" serve --stop > "$work/stopped" 2>&1; wait "$server"; }
    server=
}
start()
{
    "$build/mublas" serve --keep > "$work/serve" 2>&1 &
    server=$!
    for _ in {1..1200}; do
        "$build/mublas" serve --status > "$work/status" 2>&1 && ! grep -q 'warming up' "$work/status" && return
        kill -0 "$server" 2> "$work/nothing" || break
        sleep 0.1
    done
    echo "no service starts:" >&2
    cat "$work/serve" >&2
    exit 1
}

# The settings of a way.
settings()
{
    case $1 in
    host) setting=(MUBLAS_OFFLOAD=never) ;;
    process) setting=(LD_PRELOAD="$shim" MUBLAS_SERVICE=never MUBLAS_OFFLOAD="$2") ;;
    service) setting=(LD_PRELOAD="$shim" MUBLAS_SERVICE=auto MUBLAS_OFFLOAD="$2") ;;
    esac
}
one() # WAY OFFLOAD ARGUMENT...
{
    settings "$1" "$2"
    shift 2
    env "${setting[@]}" timeout -k 5 300 "$program" "$@"
}
median() { sort -g | awk '{ value[NR] = $1 } END { print NR ? value[int((NR + 1) / 2)] : "-" }'; }
five() # ARGUMENTS OF one
{
    for _ in 1 2 3 4 5; do one "$@"; done | median
}
line() # TEXT HOST PROCESS SERVICE
{
    printf '%-46s %10s %10s %10s\n' "$@"
}

# The mean of processes at once, as ranks of one job, each bound to a processor.
at_once() # WAY OFFLOAD ARGUMENT...
{
    local rank
    settings "$1" "$2"
    shift 2
    for ((rank = 0; rank < ranks; rank++)); do
        env "${setting[@]}" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OMPI_COMM_WORLD_LOCAL_RANK=$rank \
            OMPI_COMM_WORLD_LOCAL_SIZE="$ranks" OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE="$ranks" \
            timeout -k 5 300 taskset -c $((rank % processors)) "$program" "$@" > "$work/rank.$rank" &
        jobs[rank]=$!
    done
    wait "${jobs[@]}"
    cat "$work"/rank.* | awk '{ all += $1 } END { printf "%.0f\n", NR ? all / NR : 0 }'
    rm -f "$work"/rank.*
}

# MiB of device memory that clients take, the service's own included.
memory_of() # WAY
{
    local rank before
    command -v nvidia-smi > "$work/which" || { echo -; return; }
    stop
    before=$(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits -i 0)
    [ "$1" != service ] || start
    settings "$1" always
    for ((rank = 0; rank < ranks; rank++)); do
        mkfifo "$work/input.$rank"
        env "${setting[@]}" timeout -k 5 300 "$program" hold $((300 / part)) < "$work/input.$rank" > "$work/ready.$rank" &
        jobs[rank]=$!
        exec {input}> "$work/input.$rank"
        inputs[rank]=$input
    done
    for ((rank = 0; rank < ranks; rank++)); do
        for _ in {1..600}; do [ -s "$work/ready.$rank" ] && break; sleep 0.1; done
    done
    echo $(($(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits -i 0) - before))
    for ((rank = 0; rank < ranks; rank++)); do
        input=${inputs[rank]}
        exec {input}>&-
    done
    wait "${jobs[@]}"
    rm -f "$work"/input.* "$work"/ready.*
}

start
line "" host "in process" service
for call in "dsyevd 1024" "dsyevd 2000" "dgesv 4096" "dgemm 2000"; do
    read -r routine order <<< "$call"
    order=$((order / part))
    line "first $routine $order of a process, ms" "$(five host auto first "$routine" $order)" \
        "$(five process auto first "$routine" $order)" "$(five service auto first "$routine" $order)"
done
for call in "dgemv 4096 1000" "dsyevd 4096 5" "dsyevd 8192 3"; do
    read -r routine order count <<< "$call"
    order=$((order / part))
    line "$routine $order that follows, us" "$(one host auto again "$routine" $order "$count")" \
        "$(one process always again "$routine" $order "$count")" "$(one service always again "$routine" $order "$count")"
done
order=$((8192 / part))
line "a rewritten matrix of order $order goes up, GB/s" - "$(one process always upload $order 5)" \
    "$(one service always upload $order 5)"
order=$((300 / part))
line "$ranks bound ranks, dgemm $order rewritten, us" "$(at_once host auto rewritten $order 500)" \
    "$(at_once process auto rewritten $order 500)" "$(at_once service auto rewritten $order 500)"
line "the same, always on the device, us" - "$(at_once process always rewritten $order 500)" \
    "$(at_once service always rewritten $order 500)"
line "device memory of $ranks clients, MiB" - "$(memory_of process)" "$(memory_of service)"

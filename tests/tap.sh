# shellcheck shell=bash
# Sourced by the test scripts: numbered TAP lines, and a folder for what they write.
# Settings of whoever runs them are not the scripts'.
unset MUBLAS_TEST_SHIM MUBLAS_HOST_BLAS MUBLAS_OFFLOAD MUBLAS_REPORT MUBLAS_DEVICE MUBLAS_DEVICE_MEMORY MUBLAS_PARALLEL \
    MUBLAS_VERBOSE CUDA_VISIBLE_DEVICES GLIBC_TUNABLES LD_PRELOAD
number=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# result STATUS WHAT: a line, and after a failure what the last program wrote.
result()
{
    number=$((number + 1))
    if [ "$1" = 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        head -n 50 "$work"/report* "$work"/output "$work"/errors 2> /dev/null | sed 's/^/# /'
    fi
}

skip() # WHAT REASON
{
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

# aside NAME COMMAND...: beside the script, with a folder of its own for $work; of commands that wait.
# result_of NAME WHAT: waits for it and gives its line.
declare -A beside=()
aside()
{
    local name=$1
    shift
    mkdir "$work/$name" || exit 1
    ( work=$work/$name; "$@" ) &
    beside[$name]=$!
}
result_of()
{
    wait "${beside[$1]}"
    work=$work/$1 result $? "$2"
}

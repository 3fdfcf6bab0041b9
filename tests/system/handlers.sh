#!/bin/bash
# Programs of tests/system/cases whose handlers open memory, fill it, or leave calls by a jump, and others that have
# little stack or children in their memory: right through the shim and linked with -lmublas, by predicted times and
# with everything offloaded to the emulated device, with cuSOLVER and with our own eigensolver.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_RECIPE
use_emulated_system
ulimit -c 0
export HOME=$work XDG_CONFIG_HOME=$work OPENBLAS_NUM_THREADS=1
export EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=4 # as our eigensolver needs
# A program that leaves a call joins none of its threads.
export TSAN_OPTIONS=$TSAN_OPTIONS:report_thread_leaks=0
# The programs' handlers of faults are what is tested.
export ASAN_OPTIONS=$ASAN_OPTIONS:handle_segv=0:handle_sigbus=0
folder=tests/system/cases


# try WAY MODE SETTING NAME [ARGUMENT...]: the status is the program's. SETTING is one more, or -.
try()
{
    [ "$1$sanitizers" = shim ] || on_turn HANDLERS_FULL || return
    local way=$1 mode=$2 setting=$3 program=$folder/$4 preload=$shim_preload
    local what="$4${5:+ ${*:5}}: $1, $2${3#-}"
    shift 4
    [ "$way" != linked ] || program=$folder/linked/${program##*/}
    [ "$way" = shim ] || preload=$sanitizer_preload
    [ "$setting" != - ] || setting=MUBLAS_REPORT=$work/report
    rm -f "$work/report" "$work/output" "$work/errors"
    timeout 120 env LD_PRELOAD="$preload" MUBLAS_OFFLOAD="$mode" "$setting" "$program" "$@" \
        > "$work/output" 2> "$work/errors"
    local status=$?
    if [ $status = 2 ]; then
        skip "$what" "not here: $(head -n 1 "$work/errors")"
        return
    fi
    [ $status = 0 ] && [ -s "$work/output" ] && ! grep -q DIFFERS "$work/output" && is_where_it_belongs
    result $? "$what"
}

# In always mode every call of these is the device's.
is_where_it_belongs()
{
    [[ "$mode $program" != always\ *@(child_filter|jumped_within) ]] ||
        awk '$1 == "total" { good = $2 > 0 && $3 == $2 } END { exit !good }' "$work/report"
}

# Sanitizers take their time: there calls that stay on the host are left out.
ways="shim linked" modes="auto always"
sampled HANDLERS_FULL=1
[ -z "$sanitizers" ] || ways=shim modes=always
for way in $ways; do
    [ $way = shim ] || modes=always # the way to the library makes no other difference, and half of them show it
    for mode in $modes; do
        # ThreadSanitizer does not bear children that share its memory.
        case $sanitizers in *thread*) ;; *) try $way $mode - child_filter ;; esac
        try $way $mode - large_storage
        try $way $mode - jumped_within
        for kind in protected guarded file; do try $way $mode - filled_on_access $kind; done
        # A jump out of the emulated device, whose threads have stacks of their own on the calling one, leaves
        # AddressSanitizer's guards of the frames behind.
        case $sanitizers:$mode in *address*:always) ;; *) try $way $mode - jumped_transfer ;; esac
        try $way $mode - interrupted_task general 300
        solvers="own cusolver"
        [ $mode = always ] || solvers=own # neither computes anything then
        for solver in $solvers; do
            try $way $mode MUBLAS_EIGENSOLVER=$solver interrupted_task symmetric 500
            try $way $mode MUBLAS_EIGENSOLVER=$solver jumped_out 200
            try $way $mode MUBLAS_EIGENSOLVER=$solver protected_results 64
        done
        try $way $mode - jumped_out 200 1000
        try $way $mode - protected_results 70
    done
done
echo "1..$number"

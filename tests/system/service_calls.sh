#!/bin/bash
# How many messages first and later calls of a client exchange with a warm service: those that wait for an answer are
# a context's switch each.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
use_emulated_driver
use_reference_libraries

# A line "CALLS ANSWERED" for each of three calls of the routine.
count() # ROUTINE
{
    rm -f "$work/input"
    mkfifo "$work/input"
    : > "$work/output"
    LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always timeout -k 5 300 tests/system/served 128 3 "$1" \
        < "$work/input" > "$work/output" &
    local program=$!
    exec 7> "$work/input"
    for round in 1 2 3; do
        until_true has_lines $round
        calls_of_client
        echo >&7
    done > "$work/$1"
    exec 7>&-
    wait $program && await_no_client
}
has_lines() { [ "$(wc -l < "$work/output")" -ge "$1" ]; }

# The first asks at most so many questions, and each later call so many more.
asks() # ROUTINE FIRST LATER
{
    awk -v first="$2" -v later="$3" '
        NR == 1 && ($2 < 1 || $2 > first) { wrong = 1 }
        NR > 1 && $2 - before > later { wrong = 1 }
        { before = $2 }
        END { exit wrong || NR != 3 }' "$work/$1"
}
later_calls() # ROUTINE MOST
{
    awk -v most="$2" 'NR > 1 && $1 - before > most { wrong = 1 } { before = $1 } END { exit wrong || NR != 3 }' "$work/$1"
}

start_service --keep && await_warm_service
result $? "a service becomes warm"
count dgemv && asks dgemv 9 0
result $? "a first dgemv asks nine questions, and later ones none"
later_calls dgemv 3
result $? "a resident one is a copy, a launch and a mark"
count dgemm && asks dgemm 12 0
result $? "a first dgemm asks twelve, and later ones none"
later_calls dgemm 3
result $? "a resident one is a product, a copy and a mark"
count dsyevd && asks dsyevd 16 2
result $? "a first dsyevd asks sixteen, and later ones two"
stop_service
result $? "it ends well"

echo "1..$number"

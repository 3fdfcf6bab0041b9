#!/bin/bash
# Who has more than its share of a service's device memory, and idles or is stopped, loses it to who asks for its own,
# and sends its matrices again when it goes on. Nothing is taken from who is in a call.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
use_emulated_driver
use_reference_libraries
export MUBLAS_OFFLOAD=always EMULATED_DEVICE_MEMORY=232M EMULATED_POISON=0 EMULATED_CONTROL=$work/control
truncate -s 4096 "$work/control"
declare -A inputs processes

await_lines() # FILE COUNT
{
    for _ in {1..600}; do [ "$(wc -l < "$1")" -ge "$2" ] && return; sleep 0.05; done
    return 1
}
hold() # NAME MATRICES: a client with so many matrices of 8 MiB
{
    mkfifo "$work/$1.lines"
    LD_PRELOAD=$shim_preload timeout -k 5 120 tests/system/service_holder 1024 "$2" < "$work/$1.lines" > "$work/$1" \
        2> "$work/$1.errors" &
    processes[$1]=$!
    exec {input}> "$work/$1.lines"
    inputs[$1]=$input
    await_lines "$work/$1" 1
}
strike() # WHO SIGNAL N MATRICES: a client with so many, that is struck at the Nth call of the device from now on
{
    SERVICE_PRELOAD=$shim_preload exec tests/system/service_strike "$work/control" "$service_process" "$1" "$2" "$3" \
        100000 tests/system/service_holder 1024 "$4"
}
# Clients that have ended make no calls any more.
is_clear() { tests/system/service_strike "$work/control" 0 census | grep -q ' physical 0 mappings 0 '; }
hold_in_call() # NAME MATRICES: the same, which is stopped in one of its last calls before its first line
{
    local calls
    until_true is_clear && calls=$(strike nobody 0 0 "$2" < /dev/null | sed -n 's/^calls //p') && until_true is_clear || return
    mkfifo "$work/$1.lines"
    strike client 19 $((calls * 19 / 20)) "$2" < "$work/$1.lines" > "$work/$1" 2> "$work/$1.errors" &
    processes[$1]=$!
    exec {input}> "$work/$1.lines"
    inputs[$1]=$input
    for _ in {1..600}; do grep -q '^State:.T' "/proc/$(client_of "$1")/status" && return; sleep 0.05; done
    return 1
}
go_on() # NAME: once more, with the same bits
{
    local before
    before=$(wc -l < "$work/$1")
    echo >&"${inputs[$1]}"
    await_lines "$work/$1" $((before + 1)) && [ "$(sort -u "$work/$1" | wc -l)" = 1 ] &&
        [ ! -s "$work/$1.errors" ]
}
client_of() { pgrep -P "${processes[$1]}"; }
# MiB of the device's memory that the client has.
has() # NAME
{
    "$build/mublas" serve --status | sed -n "s/^  process $(client_of "$1"): \([0-9]*\) MiB.*/\1/p"
}
has_left() { [ -z "$(has "$1")" ]; }
# The last first: it has the lines of those before open, too.
end() { input=${inputs[$1]}; exec {input}>&-; wait "${processes[$1]}"; }

start_service --keep && await_warm_service && hold one 20 && [ "$(has one)" -gt 140 ]
result $? "the first client fills the device"
hold two 7 && [ "$(has two)" -ge 56 ] && [ "$(has one)" -lt 20 ]
result $? "the second gets its share, while the first idles"
go_on one && go_on two
result $? "both go on with the same bits"
end two && end one && hold three 8 && hold four 11 && [ "$(has four)" -gt 85 ]
result $? "of two others one has less than a third, and one has more"
kill -STOP "$(client_of four)" && hold five 7 && [ "$(has five)" -ge 56 ] && [ "$(has three)" -ge 64 ] &&
    [ "$(has four)" -lt 20 ]
result $? "a third gets its share from that one, which is stopped"
kill -CONT "$(client_of four)" && go_on four && go_on three && go_on five && go_on four
result $? "all go on with the same bits"
end five && end four && end three && hold_in_call six 20 2> "$work/nothing" && before=$(has six) &&
    [ "$before" -gt 140 ] && hold seven 10 && [ "$(has six)" = "$before" ]
result $? "from one that is stopped in a call nothing is taken"
kill -CONT "$(client_of six)" && await_lines "$work/six" 1 && go_on six && go_on seven && go_on six &&
    [ "$(head -n 1 "$work/six")" = "$(head -n 1 "$work/one")" ]
result $? "and both go on with the same bits"
end seven && hold eight 10 && echo jump >&"${inputs[eight]}" && await_lines "$work/eight" 2 && echo >&"${inputs[eight]}" &&
    await_lines "$work/eight" 3 && until_true has_left eight
result $? "one that has jumped out of a call, and uses the device no more, has nothing there"
end eight && input=${inputs[six]} && exec {input}>&- && kill "${processes[six]}" && sleep 0.5 && stop_service
result $? "all end"

echo "1..$number"

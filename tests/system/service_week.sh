#!/bin/bash
# A week of a service in small: programs one after the other and many at once, killed at random. The service's memory,
# descriptors and what is on the device do not grow. SERVICE_FULL=1: 2000 programs, and 16 at once for ten minutes.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
use_emulated_driver
use_reference_libraries
sampled "SERVICE_FULL=1"
export MUBLAS_OFFLOAD=always EMULATED_CONTROL=$work/control EMULATED_POISON=0
truncate -s 4096 "$work/control"
programs=16 at_once=6 seconds=3
[ -z "$SERVICE_FULL" ] || programs=2000 at_once=16 seconds=600
RANDOM=$seed

run() # OUTPUT ROUNDS: becomes the program
{
    exec env LD_PRELOAD="$shim_preload" timeout -k 5 --foreground 120 tests/system/service_checked 40 "$2" > "$1" 2> "$work/nothing"
}
# One in three is killed within a fifth of a second.
run_or_kill() # NUMBER
{
    local output=$work/output.$BASHPID
    run "$output" 2 &
    local program=$!
    if [ $(($1 % 3)) = 0 ]; then
        sleep "0.$((10 + $1 % 18))"
        pkill -KILL -P $program
        { wait $program; } 2> "$work/nothing"
        return 0
    fi
    wait $program && grep -qx right "$output"
}
census() { tests/system/service_strike "$work/control" 0 census; }
descriptors() { find "/proc/$service_process/fd" -type l | wc -l; }
kilobytes() { awk '/^RssAnon/ { print $2 }' "/proc/$service_process/status"; }
crowd() # SECONDS
{
    local end=$((SECONDS + $1)) i failed=0
    local -a jobs=()
    for ((i = 0; i < at_once; i++)); do
        ( RANDOM=$((seed + i)); while [ $SECONDS -lt $end ]; do run_or_kill $RANDOM || exit 1; done ) &
        jobs+=($!)
    done
    for i in "${jobs[@]}"; do wait "$i" || failed=1; done
    return $failed
}

start_service --keep && await_warm_service && run_or_kill 1 && crowd 1 && await_no_client
result $? "a service has served many at once"
before=$(census) files=$(descriptors) memory=$(kilobytes)
for ((i = 0; i < programs; i++)); do run_or_kill $RANDOM || break; done
[ $i = $programs ]
result $? "$programs programs one after the other, some of them killed: results are right"
crowd $seconds
result $? "$at_once at once for $seconds s, some of them killed: results are right"
await_no_client || ! sed 's/^/# /' "$work/service_errors"
result $? "it has no client left"
# Holdings of so many at once rest for the next: twice as many as after a first crowd, or as each of them can have. The
# last ones' are on their way back.
has_not_grown()
{
    census > "$work/output"
    awk -v before="$before" -v clients=$at_once 'BEGIN {
        split(before, was)
        each["allocations"] = each["events"] = 24; each["pinned"] = each["streams"] = 6; each["bytes"] = 16e6
    } { for (i = 1; i < NF; i += 2)
        if ($(i + 1) > 2 * was[i + 1] && $(i + 1) > clients * each[$i]) exit 1 }' "$work/output"
}
until_true has_not_grown
result $? "what is on the device has not grown"
has_few_descriptors() { [ "$(descriptors)" -le $((2 * files)) ]; }
until_true has_few_descriptors
result $? "nor have its descriptors"
echo "# $before; $files descriptors, $memory KiB"
echo "# $(cat "$work/output"); $(descriptors) descriptors, $(kilobytes) KiB"
[ "$(kilobytes)" -le $((memory + memory / 2 + 8192)) ]
result $? "nor has its memory"
stop_service
result $? "it ends well"

echo "1..$number"

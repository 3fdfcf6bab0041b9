#!/bin/bash
# A service or its client is killed or stopped at any message: the program's results are right and it ends, the service
# survives its clients and keeps nothing of theirs. A seeded sample; SERVICE_FULL=1: at every one.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
use_emulated_driver
use_reference_libraries
sampled "SERVICE_FULL=1"
export MUBLAS_OFFLOAD=always EMULATED_CONTROL=$work/control EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=8
export SERVICE_PRELOAD=$shim_preload
truncate -s 4096 "$work/control"

strike() # WHO SIGNAL N PAUSE_MS [WHAT [ROUNDS]]: in $work/output; the status is the program's
{
    timeout -k 5 "${limit:-120}" tests/system/service_strike "$work/control" "$service_process" "$1" "$2" "$3" "$4" \
        tests/system/service_checked 60 "${6:-1}" "${5:-plain}" > "$work/output" 2> "$work/errors"
}
is_right() { grep -qx right "$work/output"; }
census() { tests/system/service_strike "$work/control" 0 census; }
# No more rests for the next client than two at once had: one may come before the last has been cleared away.
nothing_is_left() # CENSUS BEFORE
{
    await_no_client && until_true is_as_before "$1"
}
is_as_before()
{
    census > "$work/output"
    awk -v before="$1" 'BEGIN { split(before, was) } { for (i = 1; i < NF; i += 2)
        if ($i ~ /physical|mappings|reservations/ ? $(i + 1) != was[i + 1] : $(i + 1) > 2 * was[i + 1]) exit 1 }' "$work/output"
}
# at PARTS LAST COMMAND...: the command with every number up to the last, or one in so many.
at()
{
    local parts=$1 last=$2 n failed=
    shift 2
    for ((n = 1; n <= last; n++)); do
        [ -n "$SERVICE_FULL" ] || [ $(((n * 40503 + seed * 7919) % parts)) = 0 ] || continue
        "$@" "$n" || failed="$failed $n"
    done
    [ -z "$failed" ] || { echo "at:$failed" >> "$work/errors"; return 1; }
}

start_service --keep && await_warm_service && strike nobody 0 0 0 && is_right
result $? "a program's results are right"
calls=$(sed -n 's/^calls //p' "$work/output")
[ "${calls:-0}" -gt 100 ]
result $? "and it has messages enough to be struck at: ${calls:-0}"

# A client's mappings go at its end.
is_at_rest() { before=$(census) && [[ $before = *" physical 0 mappings 0 reservations 0 "* ]]; }
await_no_client && until_true is_at_rest
client_killed()
{
    strike client 9 "$1" 0
    [ $? = 137 ] || is_right
}
at 16 "$calls" client_killed
result $? "a client is killed at any message: the service goes on"
strike nobody 0 0 0 && is_right && nothing_is_left "$before"
result $? "another one's results are right, and nothing is left of those"

client_stopped()
{
    strike client 19 "$1" "${SERVICE_PAUSE:-150}" && is_right && ! grep -q 'is lost' "$work/errors"
}
at 24 "$calls" client_stopped
result $? "a client is stopped for a while at any message: it keeps its connection, and its results are right"

# Calls that it makes to become warm would be struck at, too: one time in four that is so.
start_to_strike() { start_service --keep && { [ $(($1 % 4)) = 0 ] || await_warm_service; }; }
server_killed()
{
    start_to_strike "$1" && strike server 9 "$1" 0 && is_right || return
    # The last messages do not come every time.
    if "$build/mublas" serve --stop > "$work/stopped" 2>&1; then wait "$service_process"; else wait "$service_process"; [ $? = 137 ]; fi
}
stop_service
at 16 "$calls" server_killed 2> "$work/nothing"
result $? "a service is killed at any message: the program's results are right, and it ends"

# The client waits for seconds until it is sure.
server_stopped()
{
    work=$work/stopped.$1
    mkdir "$work" && cp "$work/../control" "$work/control" && export EMULATED_CONTROL=$work/control
    start_to_strike "$1" && strike server 19 "$1" 100 && is_right && await_no_client && stop_service
}
server_stopped_aside() { server_stopped "$1" & jobs+=($!); if [ "${#jobs[@]}" -ge 4 ]; then join; fi; }
join() { local job failed=0; for job in "${jobs[@]}"; do wait "$job" || failed=1; done; jobs=(); return $failed; }
jobs=()
at 64 "$calls" server_stopped_aside
all=$?
join && [ $all = 0 ]
result $? "a service is stopped at any message: the same, and once it goes on it lets the client go"

# On one processor the client sleeps until the service has served its calls, which it has time for while each takes some
# milliseconds. It counts how long the service is silent; a timer that ends its sleeps keeps it from nothing.
read -r processor _ <<< "$(taskset -pc $$ | sed 's/.*: //' | tr ',-' '  ')"
start_service --keep && await_warm_service && taskset -pc $$ > "$work/processors" &&
    taskset -pc "$processor" $$ > "$work/nothing" && tests/system/service_strike "$work/control" 0 slow 5000 &&
    limit=14 strike server 19 $((calls / 2)) 100 timer && is_right
result $? "a service is stopped, and its client on one processor has a timer: it sees that no later"
taskset -pc "$(sed 's/.*: //' "$work/processors")" $$ > "$work/nothing"
tests/system/service_strike "$work/control" 0 slow 0
stop_service

start_service --keep
for what in jump close fork exec; do
    strike nobody 0 0 0 $what 2 && is_right
    result $? "a program's results are right through a service: $what"
done
# A jump that leaves a record half written ends the connection, which seldom is so.
jumps_often()
{
    for _ in {1..5}; do
        timeout -k 5 100 tests/unit/service_jumper 100 > "$work/output" && return
        grep -qx lost "$work/output" || return
    done
    return 1
}
tests/system/service_strike "$work/control" 0 slow 1000
jumps_often
result $? "one that jumps out of more questions than there are slots for answers still has answers"
tests/system/service_strike "$work/control" 0 slow 0
strike nobody 0 0 0 handler 500
[ $? = 7 ]
result $? "a program that a handler ends amid a call ends"
await_no_client && strike nobody 0 0 0 && is_right && nothing_is_left "$before"
result $? "nothing is left of all those"
stop_service
result $? "and the service ends"

echo "1..$number"

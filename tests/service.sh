# shellcheck shell=bash
# Sourced by test scripts behind tests/environment.sh: a service of this build over the emulated driver, in a folder
# of the test's own, so that tests beside do not meet it.

# until_true COMMAND...: within a minute and a half, on a machine that is busy with other tests.
until_true()
{
    local end=$((SECONDS + 90))
    until "$@"; do
        [ $SECONDS -lt $end ] || return
        sleep 0.05
    done
}

# The script's end stops services that it has left, and programs that run beside it.
services=()
end_services()
{
    local process
    for process in $(jobs -pr); do
        case " ${services[*]} " in
        *" $process "*) kill -KILL "$process" ;;
        *) kill "$process" ;;
        esac
    done 2> "$work/nothing"
    rm -rf "$work"
}

# Sets service_process, which the script's end ends, and which has no lock of the script's (alone of mpi.sh);
# XDG_RUNTIME_DIR leads its clients there: $service_folder, or one in $work.
start_service() # [OPTION OF mublas serve...]
{
    export XDG_RUNTIME_DIR=${service_folder:-$work/runtime}
    [ -d "$XDG_RUNTIME_DIR" ] || mkdir -m 700 "$XDG_RUNTIME_DIR"
    : > "$work/served"
    "$build/mublas" serve "$@" > "$work/served" 2> "$work/service_errors" 9>&- &
    service_process=$!
    services+=("$service_process")
    trap end_services EXIT
    until_true serves_or_ended && grep -q 'serves$' "$work/served"
}
serves_or_ended() { grep -q 'serves$' "$work/served" || has_ended; }

# Ends it, and tells whether it ended well, having said nothing wrong.
stop_service()
{
    "$build/mublas" serve --stop > "$work/stopped" && wait "$service_process" && [ ! -s "$work/service_errors" ]
}

# The total of a report: calls on the device are at least so many, and none is on the host.
all_on_device() # REPORT LEAST
{
    awk -v least="$2" '$1 == "total" && $3 >= least && $4 == 0 { found = 1 } END { exit !found }' "$1"
}

# until_status TEXT: in $work/status is the one that has it. Nobody waits for a service that has ended.
status_has() { "$build/mublas" serve --status > "$work/status" 2> "$work/nothing" && grep -q "$1" "$work/status"; }
has_ended() { [ -n "$service_process" ] && ! kill -0 "$service_process" 2> "$work/nothing"; }
status_has_or_ended() { status_has "$1" || has_ended; }
until_status() { until_true status_has_or_ended "$1" && grep -q "$1" "$work/status"; }
# The last one's holdings may still be on its way back.
await_no_client() { until_status ' to 0 clients'; }
# All that clients would wait for has been made.
is_warm() { has_ended || { status_has ' serves ' && ! grep -q 'warming up' "$work/status"; }; }
await_warm_service() { until_true is_warm && ! has_ended; }

# A client that has made a call, and keeps its connection until let_go: its process is `holder`, its line in $work/held.
hold() # ORDER ROUTINE
{
    rm -f "$work/hold"
    mkfifo "$work/hold"
    : > "$work/held"
    LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always tests/system/served "$1" 1 "$2" < "$work/hold" > "$work/held" &
    holder=$!
    exec 7> "$work/hold"
    until_true test -s "$work/held"
}
let_go()
{
    echo >&7
    exec 7>&-
    wait "$holder"
}

# "CALLS ANSWERED" of the only client, which is idle: once its queue is empty they stay the same.
calls_of_client()
{
    local before='' now='' tries
    for ((tries = 0; tries < 1000; tries++)); do
        before=$now
        now=$("$build/mublas" serve --status |
            sed -nE 's/^  process .* ([0-9]+) calls?, ([0-9]+) of them answered; 0 calls in the queue.*/\1 \2/p')
        [ -n "$now" ] && [ "$now" = "$before" ] && break
        sleep 0.02
    done
    echo "$now"
}

# shellcheck shell=bash
# Sourced by test scripts behind tests/environment.sh: a service of this build over the emulated driver, in a folder
# of the test's own, so that tests beside do not meet it.

# Sets service_process, which the script's end ends, and which has no lock of the script's (alone of mpi.sh); XDG_RUNTIME_DIR leads its clients there.
start_service() # [OPTION OF mublas serve...]
{
    export XDG_RUNTIME_DIR=$work/runtime
    [ -d "$XDG_RUNTIME_DIR" ] || mkdir -m 700 "$XDG_RUNTIME_DIR"
    : > "$work/served"
    "$build/mublas" serve "$@" > "$work/served" 2> "$work/service_errors" 9>&- &
    service_process=$!
    trap 'kill $service_process 2> "$work/nothing"; rm -rf "$work"' EXIT
    for _ in {1..600}; do
        grep -q 'serves$' "$work/served" && return
        kill -0 $service_process 2> "$work/nothing" || return
        sleep 0.05
    done
    return 1
}

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

# What clients would wait for has been made.
await_warm_service()
{
    for _ in {1..600}; do
        "$build/mublas" serve --status > "$work/status" || return
        grep -q 'warming up' "$work/status" || return 0
        sleep 0.05
    done
    return 1
}

# "CALLS ANSWERED" of the only client, so far.
calls_of_client()
{
    "$build/mublas" serve --status | sed -n 's/^  process .* \([0-9]*\) calls, \([0-9]*\) of them answered.*/\1 \2/p'
}

#!/bin/bash
# Whether a call goes to the device depends on what it costs to have it: where a service is there that is a connection,
# so that a single call goes which no context would pay for. A program that wants no device asks for none.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
use_emulated_driver
use_reference_libraries

run() # ORDER ROUTINE [SETTING=VALUE...]
{
    local order=$1 routine=$2
    shift 2
    rm -f "$work/report"
    echo | env LD_PRELOAD="$shim_preload" MUBLAS_VERBOSE=2 MUBLAS_REPORT="$work/report" "$@" \
        timeout -k 5 300 tests/system/served "$order" 1 "$routine" > "$work/output" 2> "$work/errors"
}
goes_by_service() { grep -q 'through the service$' "$work/errors"; }
is_on_host() { grep -q 'not woken: no call was worth it' "$work/report"; }

run 1000 dgesv && is_on_host
result $? "without a service no single dgesv pays for a context"
start_service --keep && await_warm_service
result $? "a service starts"
run 1000 dgesv && goes_by_service && all_on_device "$work/report" 1
result $? "a single dgesv pays for the connection"
run 60 dgesv && is_on_host && ! goes_by_service
result $? "a small one does not"
run 1000 dgesv MUBLAS_SERVICE=never && is_on_host
result $? "MUBLAS_SERVICE=never knows of no cheaper device"

# The tuner's own calls have contexts of their own.
tune() { OMP_NUM_THREADS=1 EMULATED_TIME='' "$build/mublas" tune --crossovers-only --routines=dsymv --time-limit=15 --memory=64 --output="$work/$1" > "$work/output" 2> "$work/errors"; }
# A machine that is busy with others may have no steady times to learn.
for _ in {1..8}; do
    tune recipe && grep -q '^served-wake [0-9]' "$work/recipe" && grep -q '^upload served [0-9]' "$work/recipe" &&
        grep -q '^wake [0-9]' "$work/recipe" && learned=yes && break
done
[ "${learned-}" = yes ]
result $? "the tuner learns what a connection and copies through the service take, beside a context's"
run 1000 dgesv MUBLAS_RECIPE="$work/recipe" && goes_by_service && all_on_device "$work/report" 1
result $? "and programs go by that"
MUBLAS_SERVICE=never tune without && ! grep -q served "$work/without"
result $? "where none is to be used nothing of it"

hold 90 dgemv
"$build/mublas" serve --stop > "$work/stopped" &
stopper=$!
until_status 'ends with the last'
run 1000 dgesv && is_on_host && grep -q 'not through the service: the service is about to end' "$work/errors"
result $? "where it refuses, no context is made for the price of a connection"
let_go && wait $stopper && wait "$service_process" && [ ! -s "$work/service_errors" ]
result $? "and it ends with its last client"
start_service --keep && kill -KILL "$service_process" && ! wait "$service_process" 2> "$work/nothing"
run 1000 dgesv && is_on_host && ! grep -q service "$work/errors"
result $? "a socket that a killed one has left is no service"

echo "1..$number"

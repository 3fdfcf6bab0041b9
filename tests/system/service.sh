#!/bin/bash
# A service: programs that go by it have the bits that they have without, make no context of their own, and go on
# without it where there is none, where it refuses them, and where it ends.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
use_emulated_driver
use_reference_libraries

run() # OUTPUT [SETTING=VALUE...]
{
    local output=$1
    shift
    rm -f "$work/report"
    env LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=2 MUBLAS_REPORT="$work/report" "$@" \
        timeout -k 5 120 tests/system/served 90 > "$work/$output" 2> "$work/errors"
}
goes_by_service() { grep -q 'through the service$' "$work/errors"; }

run alone && all_on_device "$work/report" 5 && ! goes_by_service
result $? "without a service all runs on the device of this process"
start_service --keep && await_warm_service
result $? "a service starts"
run served && diff "$work/alone" "$work/served" > "$work/difference" && goes_by_service
result $? "through it a program has the same bits"
grep -q "^  service     process $service_process has the device; calls waited [0-9.]* s in its queue" "$work/report"
result $? "its report says so: $(grep '^  service' "$work/report")"
awk '$1 == "service" { for (i = 2; i < NF; i++) if ($i == "waited") waited = $(i + 1) } $1 == "total" { total += $7 }
    $1 == "opened" { total += $3 + $5 + $7 } END { exit !(waited > 0 && waited < total) }' "$work/report"
result $? "which has time in the queue, and not all of what opening and calls take"
all_on_device "$work/report" 5
result $? "and all of it ran on the device"
run served MUBLAS_SERVICE=never && diff "$work/alone" "$work/served" > "$work/difference" && ! goes_by_service
result $? "MUBLAS_SERVICE=never leaves it out"
grep -q '^  service     not used: MUBLAS_SERVICE=never$' "$work/report"
result $? "and its report says so"
run served MUBLAS_DEVICE=0 && ! goes_by_service && grep -q '^  service     not used: MUBLAS_DEVICE names the device$' "$work/report"
result $? "MUBLAS_DEVICE, too"
for command in doctor info; do
    "$build/mublas" $command > "$work/output" 2> "$work/errors"
    grep -qE "^(ok +service +|service: )process $service_process serves Emulated device to [0-9]+ client" "$work/output"
    result $? "mublas $command names it: $(grep service "$work/output")"
done
MUBLAS_SERVICE=never "$build/mublas" doctor > "$work/output" 2> "$work/errors"
grep -qE "^ok +service .*programs do not go by it: MUBLAS_SERVICE=never$" "$work/output"
result $? "and mublas doctor why programs do not go by it"
run served CUDA_MODULE_LOADING=LAZY && diff "$work/alone" "$work/served" > "$work/difference" && ! goes_by_service
result $? "and so does another environment of CUDA's"
"$build/mublas" serve > "$work/second" 2>&1
[ $? = 1 ] && grep -q 'one is running already' "$work/second"
result $? "a second one says that one is running"
until_status "^process $service_process serves .* to 0 clients; [0-9]* so far, until"
result $? "--status says whom it serves"
for program in 1 2 3; do
    LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always timeout -k 5 120 tests/system/served 90 > "$work/beside.$program" &
    jobs[program]=$!
done
wait "${jobs[@]}"
cmp "$work/alone" "$work/beside.1" && cmp "$work/alone" "$work/beside.2" && cmp "$work/alone" "$work/beside.3"
result $? "three programs at once have the same bits"
beside_cuda() # WHAT, whose words are in $work/errors
{
    LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=2 timeout -k 5 300 tests/system/service_checked 60 2 "$1" \
        > "$work/output" 2> "$work/errors" && grep -qx right "$work/output"
}
beside_cuda devices && goes_by_service
result $? "a program that has asked CUDA for the devices, and no more, goes by it"
beside_cuda context && ! goes_by_service && grep -q 'not through the service: the program uses CUDA itself$' "$work/errors"
result $? "one with a context of its own does not"
# The thread that serves a client runs where the client may; --stop waits for the client.
read -r processor _ <<< "$(taskset -pc $$ | sed 's/.*: //' | tr ',-' '  ')"
threads_there() { grep -lE "^Cpus_allowed_list:[[:space:]]$processor$" /proc/"$service_process"/task/*/status | wc -l; }
before=$(threads_there)
taskset -pc $$ > "$work/processors" && taskset -pc "$processor" $$ > "$work/nothing"
hold 90 dgemv
taskset -pc "$(sed 's/.*: //' "$work/processors")" $$ > "$work/nothing"
[ "$(nproc)" = 1 ] || [ "$(threads_there)" -gt "$before" ]
result $? "a client that is bound to a processor is served there"
until_status 'to 1 client; ' &&
    grep -qE "^  process $holder: [0-9]+ MiB of device memory, [1-9][0-9]* MiB pinned, [1-9][0-9]* calls?, [1-9][0-9]* of them answered; [0-9]+ calls? in the queue, [0-9]+ streams? at work$" "$work/status"
result $? "--status says what a client has and waits for: $(tail -n 1 "$work/status")"
"$build/mublas" serve --stop > "$work/stopped" 2>&1 &
stopping=$!
until_status 'and ends with the last of them' && run served && ! goes_by_service &&
    grep -q '^  service     not used: the service is about to end$' "$work/report"
result $? "one that is to end takes no others"
kill -0 $stopping && let_go && grep '^dgemv' "$work/alone" | cmp - "$work/held" &&
    wait $stopping && wait "$service_process" && [ ! -s "$work/service_errors" ]
result $? "--stop ends it when its last client has ended, and comes back then"
"$build/mublas" serve --status > "$work/status" 2>&1
[ $? = 1 ] && grep -q 'no service runs' "$work/status"
result $? "and then none runs"
start_service && LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always timeout -k 5 120 tests/system/served 90 > "$work/served" &&
    wait "$service_process"
result $? "one that is not kept ends after its last client"

# A call that nobody waits for fails: the wait for its stream says so.
goes_on_after() # FAULT
{
    EMULATED_FAULTS=$1 start_service --keep && await_warm_service &&
        LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=2 MUBLAS_REPORT="$work/report" \
            timeout -k 5 300 tests/system/service_checked 60 2 > "$work/output" 2> "$work/errors" && grep -qx right "$work/output" &&
        goes_by_service && awk '$1 == "total" && $3 >= 4 && $4 >= 1 { found = 1 } END { exit !found }' "$work/report"
}
goes_on_after cuLaunchKernel:1:701
result $? "a launch that fails on the service's side leaves the result to the host"
stop_service
result $? "and the service goes on"
goes_on_after cublasDgemm_v2:2:14
result $? "so does a product, which is waited for with its result"
"$build/mublas" serve --stop > "$work/stopped" && wait "$service_process" && grep -q 'cuBLAS call failed' "$work/service_errors"
result $? "and the service, which tells of that, goes on"

echo "1..$number"

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
start_service --keep
result $? "a service starts"
run served && diff "$work/alone" "$work/served" > "$work/difference" && goes_by_service
result $? "through it a program has the same bits"
all_on_device "$work/report" 5
result $? "and all of it ran on the device"
run served MUBLAS_SERVICE=never && diff "$work/alone" "$work/served" > "$work/difference" && ! goes_by_service
result $? "MUBLAS_SERVICE=never leaves it out"
run served CUDA_MODULE_LOADING=LAZY && diff "$work/alone" "$work/served" > "$work/difference" && ! goes_by_service
result $? "and so does another environment of CUDA's"
"$build/mublas" serve > "$work/second" 2>&1
[ $? = 1 ] && grep -q 'one is running already' "$work/second"
result $? "a second one says that one is running"
"$build/mublas" serve --status > "$work/status" && grep -q "^process $service_process serves .* to 0 clients; [0-9]* so far, until" "$work/status"
result $? "--status says whom it serves"
for program in 1 2 3; do
    LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always timeout -k 5 120 tests/system/served 90 > "$work/beside.$program" &
    jobs[program]=$!
done
wait "${jobs[@]}"
cat "$work"/beside.* | sort -u | diff - <(sort "$work/alone") > "$work/difference"
result $? "three programs at once have the same bits"
stop_service
result $? "--stop ends it"
"$build/mublas" serve --status > "$work/status" 2>&1
[ $? = 1 ] && grep -q 'no service runs' "$work/status"
result $? "and then none runs"
start_service && LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always timeout -k 5 120 tests/system/served 90 > "$work/served" &&
    wait "$service_process"
result $? "one that is not kept ends after its last client"

echo "1..$number"

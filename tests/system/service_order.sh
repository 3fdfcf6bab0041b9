#!/bin/bash
# The order of work in a service: streams of a client's threads, and kernels of several clients that want all of the
# device, each with a deadline that begins with its turn.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
use_emulated_driver
use_reference_libraries
# A launch that wants all of the device, and that nothing keeps behind the last one, ends the emulated driver.
export MUBLAS_OFFLOAD=always EMULATED_COOPERATIVE=2 EMULATED_MULTIPROCESSORS=3 EMULATED_POISON=0

use_control() { export EMULATED_CONTROL=$work/control; truncate -s 4096 "$EMULATED_CONTROL"; }
control() { tests/system/service_strike "$EMULATED_CONTROL" 0 "$@"; }
has_launched() { [ "$(control launched)" -ge "$1" ]; }
checked() # NAME [ROUNDS]
{
    LD_PRELOAD="$shim_preload" MUBLAS_VERBOSE=2 MUBLAS_REPORT="$work/report.$1" exec timeout --foreground -k 5 300 \
        tests/system/service_checked 60 "${2:-1}" > "$work/output.$1" 2> "$work/errors.$1"
}
is_right() { grep -qx right "$work/output.$1" && grep -q 'through the service$' "$work/errors.$1"; }
products() { yes | LD_PRELOAD="$shim_preload" timeout -k 5 300 tests/system/served 90 12 dgemv > "$work/products.$1"; }

MUBLAS_SERVICE=never products alone
# The last block of the first one's kernel never comes, and that client is stopped when it should say so: the other's
# turn comes later than its deadline would, and a third one's products need no turn.
late_turn()
{
    export EMULATED_ABSENT=1
    use_control
    start_service --keep && await_warm_service || return
    checked first &
    local first=$! second
    until_true has_launched 1 && pkill -STOP -P $first || return
    checked second &
    second=$!
    until_true has_launched 2 && products beside && cmp "$work/products.beside" "$work/../products.alone" || return
    sleep 11 # longer than a deadline
    has_launched 3 && return 1
    pkill -CONT -P $first
    wait $second && is_right second && ! grep -q 'no end after' "$work/errors.second" && all_on_device "$work/report.second" 3 &&
        wait $first && is_right first && grep -q 'no end after' "$work/errors.first" && stop_service
}
aside late_turn late_turn

use_control
EMULATED_LATE=1 EMULATED_COUNT_FILE=$work/counts start_service --keep && await_warm_service
result $? "a service starts"
control slow 200
timeout -k 5 300 tests/unit/service_order 4 24 > "$work/output" && grep -qx right "$work/output"
result $? "four threads' streams wait for each other's events"
timeout -k 5 300 tests/unit/service_order 12 6 > "$work/output" && grep -qx right "$work/output"
result $? "twelve threads', too"
control slow 0
timeout -k 5 300 tests/unit/service_order 4 400 > "$work/output" && grep -qx right "$work/output"
result $? "and so they do where calls fill the ring several times"
checked one 3 & one=$!
checked two 3 & two=$!
products three && cmp "$work/products.alone" "$work/products.three" && wait $one && is_right one && wait $two && is_right two &&
    ! grep -hE 'no end after|is lost' "$work"/errors.*
result $? "two clients' kernels that want all of the device, beside a third one's products"
stop_service && awk '$1 == "cuLaunchCooperativeKernel" && $2 >= 6 { found = 1 } END { exit !found }' "$work/counts"
result $? "the service ends well; it had $(sed -n 's/^cuLaunchCooperativeKernel //p' "$work/counts") such launches"
result_of late_turn "one that waits for its turn longer than its deadline goes on"

echo "1..$number"

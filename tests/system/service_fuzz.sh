#!/bin/bash
# A service survives whatever bytes a client sends, and another client's results stay right beside them.
# SERVICE_FULL=1: a million messages.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
use_emulated_driver
use_reference_libraries
sampled "SERVICE_FULL=1"
export MUBLAS_OFFLOAD=always EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=8 EMULATED_DEVICE_MEMORY=256M
messages=5000
[ -z "$SERVICE_FULL" ] || messages=1000000

start_service --keep
result $? "a service starts"
( while [ ! -e "$work/enough" ]; do
    LD_PRELOAD=$shim_preload MUBLAS_VERBOSE=2 timeout -k 5 120 tests/system/service_checked 60 1 > "$work/right" 2> "$work/errors" &&
        grep -qx right "$work/right" && grep -q 'through the service' "$work/errors" && ! grep -q 'is lost' "$work/errors" || exit 1
    sleep 0.2
done ) &
companion=$!
timeout -k 5 3000 tests/unit/service_fuzz $messages "$seed" > "$work/output"
status=$?
sed 's/^/# /' "$work/output"
[ $status = 0 ] && kill -0 "$service_process"
result $? "it survives random messages, and right ones with some bits changed"
touch "$work/enough"
wait $companion
result $? "another client's results are right beside them"
LD_PRELOAD=$shim_preload tests/system/service_checked 60 1 > "$work/output" && grep -qx right "$work/output"
result $? "and so are the next one's"
"$build/mublas" serve --stop > "$work/stopped" && wait "$service_process"
result $? "the service ends well"

echo "1..$number"

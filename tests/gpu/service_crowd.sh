#!/bin/bash
# A crowd of programs through one service, some of them killed, on whatever device there is: results stay right, and the
# service's memory, descriptors and device memory do not grow.
#   tests/gpu/service_crowd.sh BUILD [SECONDS [PROGRAMS]]
# BUILD has mublas, libmublas_shim.so and tests/system/service_checked (make tests/system/service_checked). SECONDS: 120,
# after a first crowd of 5; PROGRAMS at once: 16. One in three is killed within 0.3 s. tests/system/service_week.sh is
# the same over the emulated driver, and judges growth. Prints a census before and behind. Exit status: 1 where a result
# was wrong, or the service has ended.
set -u
build=$(cd "${1:?the folder of the build}" && pwd)
seconds=${2:-120} at_once=${3:-16}
program=$build/tests/system/service_checked
for file in "$program" "$build/mublas" "$build/.libs/libmublas_shim.so"; do
    [ -x "$file" ] || { echo "service_crowd.sh: there is no $file" >&2; exit 2; }
done
work=$(mktemp -d)
mkdir -m 700 "$work/runtime"
export XDG_RUNTIME_DIR=$work/runtime MUBLAS_OFFLOAD=always
trap '"$build/mublas" serve --stop > "$work/stopped" 2>&1; wait; rm -rf "$work"' EXIT

one() # NUMBER: in a process of its own
{
    LD_PRELOAD=$build/.libs/libmublas_shim.so timeout -k 5 120 "$program" 300 2 > "$work/output.$1" 2> "$work/errors.$1" &
    local process=$!
    if [ $((RANDOM % 3)) = 0 ]; then
        sleep "0.$((10 + RANDOM % 20))"
        pkill -KILL -P $process
        wait $process
        echo killed >> "$work/ends"
    elif wait $process && grep -qx right "$work/output.$1"; then
        echo right >> "$work/ends"
    else
        echo wrong >> "$work/ends"
        tail -n 3 "$work/output.$1" "$work/errors.$1" >&2
    fi
} 2> "$work/nothing.$1"
crowd() # SECONDS
{
    local end=$((SECONDS + $1)) number processes=()
    for ((number = 0; number < at_once; number++)); do
        ( RANDOM=$number; while [ $SECONDS -lt $end ]; do one $number; done ) &
        processes+=($!)
    done
    wait "${processes[@]}"
}
device_memory() { nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits -i 0 2> "$work/nothing" || echo 0; }
census()
{
    sleep 2
    echo "$1: $(awk '/^RssAnon/ { print $2 }' "/proc/$service/status") KiB of the service's own," \
        "$(find "/proc/$service/fd" -type l | wc -l) descriptors, $(device_memory) MiB on the device"
}

"$build/mublas" serve --keep > "$work/served" 2>&1 &
service=$!
for _ in {1..600}; do
    "$build/mublas" serve --status > "$work/status" 2>&1 && ! grep -q 'warming up' "$work/status" && break
    kill -0 $service 2> "$work/nothing" || { cat "$work/served" >&2; exit 2; }
    sleep 0.1
done
crowd 5
census "before"
crowd "$seconds"
census "behind"
sort "$work/ends" | uniq -c
kill -0 $service 2> "$work/nothing" || { echo "service_crowd.sh: the service has ended" >&2; exit 1; }
! grep -qx wrong "$work/ends"

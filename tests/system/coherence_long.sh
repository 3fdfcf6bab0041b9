#!/bin/bash
# The coherence test for as long as you like, by hand, from the build directory:
#
#   bash SOURCE/tests/system/coherence_long.sh [STEPS [JOBS [FIRST_SEED]]]      default 1000000 2 1
#
# Runs seeds in parallel at low priority until the steps are done, each with settings that follow from
# the seed: little device memory, small pins, no huge pages, more threads, a failing driver, a program that
# uses CUDA and pins memory. With DEVICES=2 or more in the environment on so many devices, unlike each other, with
# access to each other's memory or without, one of which is lost in the middle of some seeds. EACH is how many
# steps a seed takes alone. One line for each seed; the output of one that fails stays in the folder named at
# the start, with the command that repeats it. With REAL_DEVICE=1 on the machine's own driver and device.
# The exit status tells whether all were right.
. tests/environment.sh
unset MUBLAS_TEST_SHIM
[ "$REAL_DEVICE" = 1 ] || use_emulated_driver
use_reference_libraries
export MUBLAS_TRUST_TRACKING=1 MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=${MUBLAS_VERBOSE-0}
total=${1:-1000000} jobs=${2:-2} first=${3:-1} each=${EACH:-16000}
work=$(mktemp -d "${TMPDIR:-/tmp}/coherence_long.XXXXXX") || exit 1
ulimit -c 0
devices=${DEVICES:-1}
if [ "$devices" -gt 1 ]; then
    export EMULATED_DEVICES=$devices EMULATED_DEVICE_MEMORY=2G,1G,512M EMULATED_MULTIPROCESSORS=132,20,7 MUBLAS_DEVICE=all
    export EMULATED_NAMES="Large device,Small device,Smallest device"
fi

# A seed's settings, and the program's arguments behind STEPS.
settings_of() # SEED
{
    settings=() arguments=(100 3)
    case $(($1 % 10)) in
    1) settings=(MUBLAS_DEVICE_MEMORY=3M) ;;
    2) settings=(EMULATED_DEVICE_MEMORY=96M MUBLAS_DEVICE_MEMORY=100%) ;;
    3) arguments=(200 3 faults) ;;
    4) arguments=(200 3 cuda) ;;
    5) arguments=(200 4 pins) ;;
    6) settings=(MUBLAS_HUGE_PAGES=0 MUBLAS_PINNED_MEMORY=30M) arguments=(300 2) ;;
    7) settings=(MUBLAS_DEVICE_MEMORY=40M) arguments=(200 6 faults pins) ;;
    8) settings=(EMULATED_BLOCK_THREADS=2) arguments=(120 8) ;;
    9) settings=(MUBLAS_PINNED_MEMORY=0) arguments=(200 8 cuda) ;;
    esac
    settings+=(EMULATED_SEED="$1")
    [ "$devices" = 1 ] || settings+=(EMULATED_PEER=$(($1 % 2)))
    [ "$devices" = 1 ] || [ $(($1 % 5)) != 4 ] ||
        settings+=(EMULATED_FAULTS="cuStreamSynchronize@$(($1 % devices)):2000:719:sticky")
}

run_seed() # SEED
{
    local log=$work/$1 status
    settings_of "$1"
    env LD_PRELOAD="$shim_preload" "${settings[@]}" MUBLAS_REPORT="$log.report" nice -n 19 timeout 3000 \
        tests/system/coherence "$1" "$each" "${arguments[@]}" > "$log" 2>&1
    status=$?
    local steps calls device
    read -r steps calls < <(sed -n 's/^# steps: \([0-9]*\), calls compared: /\1 /p' "$log")
    device=$(awk '$1 == "total" { print $3 }' "$log.report" 2> "$log.errors")
    echo "${steps:-0} ${calls:-0} ${device:-0}" > "$log.done"
    if [ $status = 0 ]; then
        echo "seed $1: right, ${calls:-0} calls compared, ${device:-0} on the device (${settings[*]} ${arguments[*]})"
        rm -f "$log" "$log.report" "$log.errors"
    else
        echo "seed $1: WRONG, status $status; its output is $log; again by"
        echo "    ${settings[*]} ... tests/system/coherence $1 $each ${arguments[*]}"
        touch "$work/failed"
    fi
}

echo "output of failing seeds goes to $work"
# A seed takes steps alone, some on large matrices, and some in threads.
last=$((first + (total + each + each / 40 + each / 4 - 1) / (each + each / 40 + each / 4) - 1))
for ((seed = first; seed <= last; seed++)); do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n
    done
    run_seed "$seed" &
done
wait
awk '{ steps += $1; calls += $2; device += $3 } END {
    printf "%d steps, %d calls compared, %d of all calls on the device\n", steps, calls, device }' "$work"/*.done
if [ -e "$work/failed" ]; then
    echo "some seeds FAILED"
    exit 1
fi
echo "all right"
rm -rf "$work"

#!/bin/bash
# The process ends, in every way, while threads are in the middle of calls that two or three devices share:
# with the program's own exit status, all results right to the last moment, no word of mublas, and a report
# where one is written otherwise.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/shared_calls.sh"
[ -x tests/system/ending ] || { echo "1..0 # SKIP no LAPACK to link with"; exit 0; }

ends() # KIND WAY MICROSECONDS
{
    rm -f "$work/report"
    timeout -k 5 100 env LD_PRELOAD="$shim_preload" MUBLAS_REPORT="$work/report" "$(memory_for "$1")" \
        tests/system/ending "$@" > "$work/output" 2> "$work/errors"
}
silent() { ! [ -s "$work/output" ] && ! [ -s "$work/errors" ]; }
reported() # HOW MANY reports there are
{
    if [ "$1" = 0 ]; then [ ! -e "$work/report" ]; else [ "$(grep -c '^mublas report' "$work/report")" = "$1" ]; fi
}
right() # KIND WAY MICROSECONDS: with the status and the number of reports that go with the way
{
    local status=0 reports=1
    case $2 in signal) status=143 ;; esac
    case $2 in signal | _exit) reports=0 ;; esac
    ( ends "$@" ) 2> /dev/null
    [ $? = $status ] && silent && reported $reports && { [ $reports = 0 ] || all_worked; }
}

pauses_of=([2]="0 11000" [3]="900 32000")
ways="exit thread handler signal _exit"
# ThreadSanitizer has words of its own for exit in a handler and for threads that _exit meets.
[[ $sanitizers != *thread* ]] || ways="exit thread signal"
# Which ways end well does not hang on how many devices there are: half of them for three, others every day.
sampled ENDING_FULL=1
for EMULATED_DEVICES in 2 3; do
    export EMULATED_DEVICES
    pauses=${pauses_of[EMULATED_DEVICES]}
    all=$(wc -w <<< "$pauses")
    if [ -z "$ENDING_FULL" ] && [ "$EMULATED_DEVICES" = 3 ]; then
        few=$ways ways=
        for way in $few; do ! on_turn ENDING_FULL || ways="$ways $way"; done
    fi
    # Others may wait for what the interrupted thread holds, until the end of the process loses patience.
    [ -n "$sanitizers" ] || [ $EMULATED_DEVICES = 2 ] || ways="$ways amid"
    for kind in product vector factor; do
        [ $EMULATED_DEVICES = 2 ] || on_turn ENDING_FULL 3 || continue
        good=0
        for pause in $pauses; do
            right $kind return "$pause" && good=$((good + 1))
        done
        [ $good = "$all" ]
        result $? "$kind on $EMULATED_DEVICES devices: main returns in the middle of calls, $good of $all end well"
        good=0
        for way in $ways; do
            right $kind $way 3000 && good=$((good + 1))
        done
        [ $good = "$(wc -w <<< "$ways")" ]
        result $? "it ends in other ways, $ways: $good end well"
    done
done
echo "1..$number"

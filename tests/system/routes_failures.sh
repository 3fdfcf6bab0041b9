#!/bin/bash
# LAPACK routines on a device that fails: every driver, cuBLAS and cuSOLVER function that a run without faults
# calls fails in turn. The host gives the results, operands are as LAPACK leaves them, and there are few
# words. routes_failures.sh [--long] [ROUTINE...]: --long also fails the last call of each, and every function, where
# else there are half of them, others every day.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"

programs_are_built || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }
shim_answers_dsyevd || [ -n "$ROUTES_ANYWAY" ] || {
    echo "1..0 # SKIP this shim runs no dsyevd on the emulated device"
    exit 0
}

# A function's failures: cuSOLVER's internal error, cuBLAS's failed execution, a failed launch.
failures_of()
{
    case $1 in
    cusolver*) echo 7 ;;
    cublas*) echo 13 ;;
    *) [ -n "$sanitizers" ] && echo 719 || echo 719 719:sticky ;;
    esac
}

fails() # ROUTINE FUNCTION:N RESULT
{
    local routine=$1 event=$2 status words
    local strict=1
    [[ $event != cuMemUnmap:* ]] || strict=0 # what it leaves mapped would end the emulated driver
    EMULATED_STRICT=$strict EMULATED_FAULTS=$event:$3 passes_through_shim failing "$routine"
    status=$?
    words=$(grep -c '^mublas:' "$work/errors")
    if [ $status != 0 ] && [[ $event = COPY_BACK:* ]] &&
        grep -q '^mublas: .*they are lost' "$work/errors"; then
        status=0 # the device is lost while an updated operand comes back
    fi
    [ $status = 0 ] && [ "$words" -le 3 ]
    result $? "$routine, $event:$3: right results, $words lines"
}

fail_all() # ROUTINE
{
    local routine=$1 function calls call failure
    rm -f "$work/counts"
    EMULATED_COUNT_FILE=$work/counts passes_through_shim failing "$routine"
    result $? "$routine without faults"
    while read -r function calls; do
        [ -n "$long" ] || in_sample 2 $((turn++)) || continue
        for call in 1 $([ -z "$long" ] || [ "$calls" -lt 2 ] || echo "$calls"); do
            for failure in $(failures_of "$function"); do
                fails "$routine" "$function:$call" "$failure"
            done
        done
    done < <(awk '$2 > 0 { calls[$1] += $2 } END { for (name in calls) print name, calls[name] }' "$work/counts" | sort)
}

long=
[ "$1" != --long ] || { long=yes; shift; }
sampled --long
turn=0
routine_of_day=dsyevd
! in_sample 3 0 || routine_of_day=dspgvd
for routine in ${*:-$routine_of_day}; do
    fail_all "$routine"
done
echo "1..$number"

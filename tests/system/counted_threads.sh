#!/bin/bash
# The report counts what every thread called, exactly: threads that ended, that still run, and children's.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system

run() # WAY [SETTING...]
{
    rm -f "$work"/report*
    env LD_PRELOAD="$shim_preload" MUBLAS_REPORT="$work/report" "${@:2}" tests/system/counted_threads "$1" \
        > "$work/output" 2> "$work/errors" && [ ! -s "$work/errors" ]
}
# "routine calls on-device" of the table.
counts() { awk '$2 $3 $4 ~ /^[0-9]+$/ { print $1, $2, $3; if ($2 != $3 + $4) print "sum is wrong" }' "$1"; }
counted() { [ "$(counts "$work/report")" = "$1" ]; }

small=$'daxpy 8001 0\ncblas_daxpy 4001 0\ntotal 12002 0'
for mode in auto never; do
    run ended MUBLAS_OFFLOAD=$mode && counted "$small"
    result $? "mode $mode: threads that have ended"
    run running MUBLAS_OFFLOAD=$mode && counted "$small"
    result $? "mode $mode: threads that still run at exit"
done
run looping && [ "$(counts "$work/report" | sed '/ddot/d; /total/d')" = $'daxpy 8001 0\ncblas_daxpy 4001 0' ] &&
    awk '$1 == "total" { total = $2 } $1 == "ddot" && $2 == $4 { ddot = $2 } END { exit !(ddot > 0 && total == ddot + 12002) }' \
        "$work/report"
result $? "threads that go on calling while the report is written, whose parts agree"
run short && counted $'daxpy 3001 0\ncblas_daxpy 1 0\ntotal 3002 0' &&
    { [ -n "$sanitizers" ] || [ "$(cat "$work/output")" -lt 20000000 ]; } # sanitizers take some for themselves
result $? "3000 short threads, which take no addresses for good: $(cat "$work/output") bytes"
run destructors && counted $'daxpy 1 0\nddot 3 0\ncblas_daxpy 1 0\ntotal 5 0'
result $? "destructors of threads and of the program, and exit handlers"
run choice MUBLAS_OFFLOAD=always &&
    counted $'daxpy 1 1\ndgemv 160 160\ndsymv 80 80\ncblas_daxpy 1 1\ntotal 242 242'
result $? "calls on the device by several threads"
run choice && [ "$(counts "$work/report" | sed 's/ [0-9]*$//')" = $'daxpy 1\ndgemv 160\ndsymv 80\ncblas_daxpy 1\ntotal 242' ]
result $? "calls that came to a choice"
if [ -z "$sanitizers" ]; then
    run strict && counted $'daxpy 6 0\ncblas_daxpy 1 0\ntotal 7 0'
    result $? "a thread that has forbidden itself to ask for memory"
fi
if [ "$sanitizers" = thread ]; then
    skip "a fork's child of many threads" "ThreadSanitizer lets no such child have threads"
else
    run fork && child=$(cat "$work/output") && counted "$small" &&
        [ "$(counts "$work/report.$child")" = $'daxpy 8 0\ntotal 8 0' ] &&
            [ "$(ls "$work"/report* | wc -l)" = 2 ]
    result $? "a fork's child counts what its threads call, and its report takes no other's place"
fi
if [ -z "$sanitizers" ]; then
    bench/threads_in_turns "$shim" "$host_blas" 3 1 4 > "$work/output" 2> "$work/errors" &&
        [ "$(sed '1d; s/,.*//' "$work/output" | xargs)" = "1 4" ] && [ ! -s "$work/errors" ]
    result $? "what that costs can be measured"
    ! bench/threads_in_turns /nonexistent/shim.so "$host_blas" 3 1 > "$work/output" 2>&1
    result $? "but not without the shim"
fi
echo "1..$number"

#!/bin/bash
# BLAS from constructors to destructors, while the process ends, and with the device gone:
# right everywhere, with the exit status and the words of the program alone.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
ulimit -c 0

run() # WAY [ARGUMENT]
{
    rm -f "$work"/report
    LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=always MUBLAS_REPORT="$work/report" \
        tests/system/lifetime "$@" > "$work/output" 2> "$work/errors"
}
says() { diff <(sort "$work/output") <(sed 's/$/: right/' | sort) > "$work/report-difference" &&
    [ ! -s "$work/errors" ]; }
began='preinit
library'\''s constructor
static initialiser
constructor'
ended='static object'\''s destructor
library'\''s destructor'
first='exit handler that was registered first'
last='exit handler that was registered last'
calls_on_device() { awk -v name="$1" '$1 == name && $3 ~ /^[0-9]+$/ { print $3 }' "$work/report"; }


run all
[ $? = 0 ] && says << END
$began
main
destructor of a thread's value
thread-local initialiser
thread-local object's destructor
$last
$first
destructor
$ended
END
result $? "before main, in main, in ending threads, in exit handlers and destructors"
[ "$(grep -c '^mublas report' "$work/report")" = 1 ] && [ "$(calls_on_device dsyr2k)" -gt 0 ]
result $? "one report, with calls on the device"
# Exit handlers that run after the device's end: their calls are the host's.
grep -q 'dsyr2k .* the program was ending$' "$work/report" && ! grep -q 'given up' "$work/report"
result $? "calls after the device's end stay on the host"
run late
[ $? = 0 ] && says << END
$began
$first
$ended
END
result $? "a process with nothing to do but to begin and end"
run quick
[ $? = 0 ] && says << END
$began
main
$last
END
result $? "quick_exit"
run thread
[ $? = 0 ] && says << END
$began
thread that ends the process
$first
$ended
END
result $? "a thread ends the process"
# ThreadSanitizer does not know threads that join the main one.
if [ "$sanitizers" != thread ]; then
    run last
    [ $? = 0 ] && says << END
$began
thread that outlives main
$first
$ended
END
    result $? "a thread outlives main"
fi
good=0
pauses="0 100 200 300 500 700 1000 1300 1700 2000 3000 4000 5000 7000 9000"
[ -z "$sanitizers" ] || pauses="0 300 1000 3000 9000"
for pause in $pauses; do
    run busy $pause
    [ $? = 0 ] && says << END && good=$((good + 1))
$began
$first
$ended
END
done
all=$(wc -w <<< "$pauses")
[ $good = $all ]
result $? "main returns while threads are in the middle of calls: $good of $all end well"
echo "1..$number"

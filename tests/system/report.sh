#!/bin/bash
# The report: exact counts, one per process, and where it goes.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system

run() # DESTINATION [ARGUMENT...]
{
    local destination=$1
    shift
    LD_PRELOAD=$shim_preload MUBLAS_REPORT=$destination tests/system/counted "$@" > "$work/output" 2> "$work/errors"
}
# COUNTS FILE: "routine calls" of the table, which must add up.
counts() { awk '$2 $3 $4 ~ /^[0-9]+$/ { print $1, $2; if ($2 != $3 + $4) print "sum is wrong" }' "$1"; }
reason() { awk -v routine="$2" -v text="$3" '$1 == routine && index($0, text) { print $2 }' "$1"; }

expected=$'daxpy 7\nddot 5\ndgemv 4\ndsymv 5\ntotal 21'
for mode in always auto never; do
    rm -f "$work"/report*
    MUBLAS_OFFLOAD=$mode run "$work/report"
    [ $? = 0 ] && [ "$(counts "$work/report")" = "$expected" ] && [ ! -s "$work/errors" ]
    result $? "mode $mode: calls are counted exactly"
    [ "$(reason "$work/report" ddot 'not offloaded')" = 5 ]
    result $? "mode $mode: forwarded calls say so"
done
[ "$(reason "$work/report" daxpy MUBLAS_OFFLOAD=never)" = 7 ]
result $? "mode never: that is the reason given"
grep -qE '^  command     tests/system/counted$' "$work/report" &&
    grep -qE "^  ran on      $(uname -n), until 20[0-9-]+ [0-9:]+ UTC\$" "$work/report"
result $? "which run it was is told"
grep -q '^  setting *MUBLAS_OFFLOAD=never$' "$work/report"
result $? "settings in force are listed"
[ "$(stat -c %a "$work/report")" = 600 ]
result $? "the file is the user's alone"
MUBLAS_OFFLOAD=always run "$work/report" &&
    [ "$(reason "$work/report" dsymv 'invalid arguments')" = 2 ]
result $? "an illegal call and a quick return are counted as such"
grep -q "^  host BLAS .*/libblas.* (next in the program's search order)" "$work/report"
result $? "the host BLAS is named"

for mode in auto never; do
    rm -f "$work"/report*
    MUBLAS_OFFLOAD=$mode run "$work/report" complex &&
        [ "$(counts "$work/report" | grep -E 'c|z|total')" = $'caxpy 3\ndzasum 2\ntotal 26' ]
    result $? "mode $mode: what the host calls to do a call is not counted"
done
for mode in always auto never; do
    rm -f "$work"/report*
    MUBLAS_OFFLOAD=$mode run "$work/report" rejected &&
        [ "$(counts "$work/report" | grep -E 'blas|z|total|wrong')" = $'cblas_dgemv 4\ncblas_zgemv 3\ntotal 28' ]
    result $? "mode $mode: neither is what it calls to do a C call that mublas leaves to it"
done

# SECONDS of each routine's phases and of the table; each of 10 figures is rounded to a thousandth.
phases_add_up()
{
    awk '$1 == "of" { sum = 0; for (i = 3; i <= NF; i++) sum += $i; phases[$2] = sum; columns = NF - 2 }
        $2 $3 $4 ~ /^[0-9]+$/ && $3 > 0 { seconds[$1] = $7; rows++ }
        END { for (name in seconds) {
                  difference = seconds[name] - phases[name]
                  if (!(name in phases) || difference > 0.005 || difference < -0.005) exit 1
              }
              for (name in phases) if (!(name in seconds)) exit 1
              exit !(rows >= 3 && columns == 9 && phases["total"] > 0) }' "$1"
}
rm -f "$work"/report*
MUBLAS_OFFLOAD=always run "$work/report" long && phases_add_up "$work/report"
result $? "what a routine's calls on the device were spent on adds up to their seconds"
grep -Eq '^  daxpy +8 +8 +0 +16\.0 +8\.0 ' "$work/report"
result $? "the bytes of vectors are exact: two of 8 MB up, one down"
grep -Eq '^  opened in   0\.[0-9]+ s \(device\)$' "$work/report"
result $? "what waking the device took is told, and nothing of cuBLAS, which was not opened"
rm -f "$work"/report*
MUBLAS_OFFLOAD=never run "$work/report" && ! grep -Eq '^  (of|opened)' "$work/report"
result $? "neither is said where nothing ran on the device"

LD_PRELOAD=$shim_preload tests/system/counted > "$work/output" 2> "$work/errors" && [ ! -s "$work/errors" ] &&
    MUBLAS_REPORT=0 LD_PRELOAD=$shim_preload tests/system/counted 2> "$work/errors" && [ ! -s "$work/errors" ]
result $? "no report unless asked for"
run 1 && [ "$(counts "$work/errors")" = "$expected" ]
result $? "1 is standard error"
LD_PRELOAD=$shim_preload MUBLAS_REPORT=1 tests/system/counted output > "$work/output" 2>&1 &&
    [ "$(head -1 "$work/output")" = "the program's own output" ]
result $? "it comes after what the program printed"

run "$work/nowhere/report" && [ "$(grep -c "^mublas: " "$work/errors")" = 1 ] &&
    head -1 "$work/errors" |
        grep -q "^mublas: MUBLAS_REPORT: cannot write $work/nowhere/report: No such file" &&
    [ "$(counts "$work/errors")" = "$expected" ]
result $? "a file that cannot be opened: one line, and the report on standard error"
echo precious > "$work/target"
ln -s "$work/target" "$work/link"
run "$work/link" && grep -q '^mublas: MUBLAS_REPORT: cannot write' "$work/errors" &&
    [ "$(cat "$work/target")" = precious ]
result $? "a symbolic link is not followed"

rm -f "$work"/report*
run "$work/report-%p" fork && read -r parent child < "$work/output" &&
    [ "$(counts "$work/report-$parent")" = "$expected" ] &&
    [ "$(counts "$work/report-$child")" = $'ddot 2\ntotal 2' ]
result $? "a fork child reports its own calls only, %p tells them apart"
rm -f "$work"/report*
run "$work/report" fork && read -r parent child < "$work/output" &&
    [ "$(counts "$work/report")" = "$expected" ] &&
    [ "$(counts "$work/report.$child")" = $'ddot 2\ntotal 2' ] && [ "$(ls "$work"/report* | wc -l)" = 2 ]
result $? "without it the child's has its number behind the name"
rm -f "$work"/report*
run "$work/report" orphan && read -r child < "$work/output"
for ((i = 0; i < 500; i++)); do
    grep -q 'not offloaded' "$work/report.$child" 2> "$work/errors" && break
    sleep 0.02
done
[ "$(counts "$work/report")" = "$expected" ] && [ "$(counts "$work/report.$child")" = $'ddot 2\ntotal 2' ]
result $? "a child that ends after its parent leaves the parent's report alone"
rm -f "$work"/report*
run "$work/report" busy && [ "$(counts "$work/report" | head -1)" = "daxpy 7" ] &&
    grep -q ' ddot ' "$work/report"
result $? "exit while a thread goes on calling"
rm -f "$work"/report*
LD_PRELOAD=$shim_preload MUBLAS_REPORT=$work/report /bin/true 2> "$work/errors" && [ ! -s "$work/errors" ] &&
    [ ! -e "$work/report" ]
result $? "a process without BLAS calls writes none"
echo "1..$number"

#!/bin/bash
# `mublas report --tuning`: tables and plots of planted times, and files that it refuses.
. tests/environment.sh
. "$source_tree/tests/tap.sh"

report()
{
    ./mublas report "$@" > "$work/output" 2> "$work/errors"
}

# fails STATUS TEXT WHAT: the last report failed so, with one line that has TEXT.
fails()
{
    [ "$status" = "$1" ] && [ ! -s "$work/output" ] && [ "$(wc -l < "$work/errors")" = 1 ] && grep -q "^mublas report: .*$2" "$work/errors"
    result $? "$3"
}

tests/system/tuning_files "$work" || { echo "Bail out! no planted files"; exit 1; }
data=$work/planted.csv

report --tuning "$data"
result $? "a report of the data file"
grep -Eq "^Planted <device>, 2026-11-22 by a test$" "$work/output"
result $? "says of what device"
close=" +98\.0% +97\.6% +80\.0% +80\.0% +50\.0% +50\.0%"
grep -Eq "^dsymv +square +12 +26$close +[0-9]+ at 81[0-9]+$" "$work/output"
result $? "how close to the best rules, occupancy and built-in shapes come"
grep -Eq "^dgemv_none +tall +12 +26 +98\.0%" "$work/output"
result $? "for each form"
wanted="crossover-axpy.svg crossover-gemm.svg crossover-gemv.svg crossover-symv.svg crossover-syr2k.svg"
wanted="$wanted crossover-trsm.svg dgemv_none-tall.svg dsymv.svg saxpy.svg summary.txt "
[ "$(ls "$work/planted-report" | tr '\n' ' ')" = "$wanted" ]
result $? "with a plot for each class and form, and for each family's crossovers"
[ "$(grep -v ' plots in ' "$work/output" | sed '$d')" = "$(cat "$work/planted-report/summary.txt")" ]
result $? "and the same summary beside them"

grep -Eq "^dsymv +1[23][0-9] +[0-9]+$" "$work/output"
result $? "symv's crossover is where it was planted, at n = 128"
grep -qx 'flags zgemm_deep 0.5 0.5 0.5 0.5 1 2 2 2 2' "$work/planted" && grep -Eq "^zgemm_deep +25 +[0-9]+$" "$work/output"
result $? "gemm's is that of average flags, where m n k = 128^2"
grep -Eq "^daxpy +never +never$" "$work/output"
result $? "axpy's is nowhere"
awk '$1 == "dsymv" && $2 ~ /^1[23]/ { found = $3 > $2 + 50 } END { exit !found }' "$work/output"
result $? "with an upload it comes later"

if command -v xmllint > /dev/null; then
    xmllint --noout "$work"/planted-report/*.svg 2> "$work/errors"
    result $? "the plots are well-formed"
else
    echo "ok $((++number)) - the plots are well-formed # SKIP no xmllint"
fi
# 6 sizes of the sieve and 20 held out; one box in the legend
[ "$(grep -c 'fill="#ffffff" stroke="#2e9e4f"' "$work/planted-report/dsymv.svg")" = 27 ]
result $? "a box for each size"
plot=$work/planted-report/dsymv.svg
grep -q "Planted &lt;device&gt;" "$plot" && grep -q "by rules" "$plot" && ! grep -q cuBLAS "$plot"
result $? "a legend of what there is"
# 6 sizes of the last stage and 20 held out, on the line and dots alone
grep -q "chosen by the recipe" "$plot" && ! grep -q "chosen by the recipe" "$work/planted-report/saxpy.svg" &&
    [ "$(grep -c '<circle .* r="2.6" fill="#d02020"' "$plot")" = 26 ]
result $? "what the recipe chooses, where it says something of the class"
! grep -q ">edge<" "$work/planted-report/saxpy.svg" && grep -q ">edge<" "$plot"
result $? "axpy has no edge"

sed 's/^dsymv,\(.*\),default,/dsymv,\1,cublas,/' "$data" > "$work/peer.csv"
report --tuning="$work/peer.csv" --output="$work/elsewhere" && grep -q "cuBLAS" "$work/elsewhere/dsymv.svg" &&
    grep -Eq "^dsymv .* - +- +[0-9]+ at" "$work/output" &&
    ! ls "$work"/elsewhere/crossover* > "$work/errors" 2>&1
result $? "cuBLAS where the data have it, into another folder, without a recipe"

{
    echo "# device: Planted <device>, 132 multiprocessors"
    echo "routine,type,flags,m,n,lda,layout,cache,bytes,cublas_us"
    echo "symv,d,L,1024,1024,1024,aligned,cold,1,100"
    echo "symv,d,U,1024,1024,1024,aligned,cold,1,1"
    echo "symv,d,L,1024,1024,1024,aligned,warm,1,1"
    echo "symv,d,L,1024,1024,1025,odd,cold,1,1"
    echo "gemv,d,N,4096,256,4096,aligned,cold,1,50"
    echo "gemv,d,N,1024,1024,1024,aligned,cold,1,"
} > "$work/peer-times.csv"
report --tuning "$data" --peer "$work/peer-times.csv" --output "$work/with-peer" &&
    [ "$(grep -c "#2f5fd0" "$work/with-peer/dsymv.svg")" = 2 ] &&
    grep -q cuBLAS "$work/with-peer/dgemv_none-tall.svg" &&
    ! grep -q cuBLAS "$work/with-peer/saxpy.svg"
result $? "cuBLAS from the kernels' benchmark: a dot and the legend, no other case"
sed -i 's/Planted/Other/' "$work/peer-times.csv"
report --tuning "$data" --peer "$work/peer-times.csv"
status=$?
fails 1 "peer-times.csv: measured on another device" "but not from another device"
report --tuning "$data" --peer "$data"
status=$?
fails 1 "planted.csv: not written by bench/kernels/measure" "nor from another file"

report --tuning "$work/planted" --output "$work/by-recipe" && [ -s "$work/by-recipe/dsymv.svg" ] &&
    [ -s "$work/by-recipe/crossover-symv.svg" ]
result $? "the recipe's path does as well"

mkdir "$work/alone" && cp "$work/planted" "$work/alone/recipe"
report --tuning "$work/alone/recipe" && [ ! -e "$work/alone/recipe-report/dsymv.svg" ] &&
    [ -s "$work/alone/recipe-report/crossover-gemv.svg" ]
result $? "a recipe without data has crossovers alone"

{ cat "$data"; printf 'dsymv,square,77'; } > "$work/growing.csv"
report --tuning "$work/growing.csv"
result $? "a last line that is being written is left out"

# refused TEXT WHAT: so is the data that is in bad.csv.
refused()
{
    report --tuning "$work/bad.csv"
    status=$?
    fails 1 "$1" "$2"
}
head -n 40 "$data" | sed '20s/,[^,]*$//' > "$work/bad.csv"
refused "bad.csv, line 20: not 17 columns" "a short line"
head -n 40 "$data" | sed '20s/^dsymv/qsymv/' > "$work/bad.csv"
refused "line 20: 'qsymv' is not a class" "a foreign class"
head -n 40 "$data" | sed '20s/,square,/,round,/' > "$work/bad.csv"
refused "line 20: 'round' is not a form" "a foreign form"
head -n 40 "$data" | sed '20s/,sieve,/,riddle,/' > "$work/bad.csv"
refused "line 20: 'riddle' is not a stage" "a foreign stage"
head -n 40 "$data" | sed '20s/,down,/,up,/' > "$work/bad.csv"
refused "line 20: 'up' or 'last' is no part of a shape" "a foreign order"
head -n 40 "$data" | sed '20s/^\(.*\),\([^,]*,[^,]*\),[^,]*,5$/\1,\2,nan,5/' > "$work/bad.csv"
refused "are not times" "not a number"
head -n 40 "$data" | sed '20s/^dsymv,square,[0-9]*/dsymv,square,1e9/' > "$work/bad.csv"
refused "'1e9' by" "a size that is none"
sed '1s/1$/2/' "$data" > "$work/bad.csv"
refused "line 1: not '# mublas tuning data 1'" "another version"
head -n 3 "$data" > "$work/bad.csv"
refused "nothing was measured" "no lines at all"
: > "$work/bad.csv"
refused "is empty" "an empty file"
head -n 40 "$data" | tr 's' '\0' > "$work/bad.csv"
refused "line 1: " "zero bytes"

report --tuning "$work/absent.csv"
status=$?
fails 1 "absent.csv: No such file" "a data file that is not there"
report --tuning "$work/absent"
status=$?
fails 1 "absent: No such file" "a recipe that is not there"
sed 's/Planted device/Another device/' "$work/planted" > "$work/touched"
report --tuning "$work/touched"
status=$?
fails 1 "touched: " "a recipe that was touched"
report --tuning "$data" --output "$data"
status=$?
fails 1 "planted.csv" "a folder that is a file"
report
status=$?
fails 2 "tuning FILE is missing" "no file"
report --tuning
status=$?
fails 2 "'--tuning' is without a value" "an option without its value"
report --tuning "$data" --draw
status=$?
fails 2 "'--draw' is not an option" "a foreign option"
echo "1..$number"

#!/bin/bash
# `mublas report --tuning`, and the script that sums up and draws: planted times, and files that are refused.
. tests/environment.sh
. "$source_tree/tests/tap.sh"

report()
{
    ./mublas report "$@" > "$work/output" 2> "$work/errors"
}

# fails STATUS TEXT WHAT: the last report failed so, with one line that has TEXT.
fails()
{
    [ "$status" = "$1" ] && [ ! -s "$work/output" ] && [ "$(wc -l < "$work/errors")" = 1 ] &&
        grep -q "^mublas report: .*$2" "$work/errors"
    result $? "$3"
}

tests/system/tuning_files "$work" || { echo "Bail out! no planted files"; exit 1; }
data=$work/planted.csv

report --tuning "$data" && [ "$(ls "$work/planted-report")" = crossovers.csv ]
result $? "a report of the data file has the recipe's crossovers"
grep -qx "curves are in $work/planted-report/crossovers.csv" "$work/output" &&
    grep -qx "times of launch shapes are in $data" "$work/output" &&
    grep -q '^bench/tuning_plots.py ' "$work/output" && [ -x "$source_tree/bench/tuning_plots.py" ]
result $? "and says where all is, and what draws it"
grep -Eq "^dsymv +1[23][0-9] +[0-9]+$" "$work/output"
result $? "symv's crossover is where it was planted, at n = 128"
grep -qx 'flags zgemm_deep 0.5 0.5 0.5 0.5 1 2 2 2 2' "$work/planted" &&
    grep -Eq "^zgemm_deep +25 +[0-9]+$" "$work/output"
result $? "gemm's is that of average flags, where m n k = 128^2"
grep -Eq "^daxpy +never +never$" "$work/output"
result $? "axpy's is nowhere"
awk '$1 == "dsymv" && $2 ~ /^1[23]/ { found = $3 > $2 + 50 } END { exit !found }' "$work/output"
result $? "with an upload it comes later"
awk -F, '$1 == "dsymv" { lines++; bad += $3 / ($2 * $2 / 1024) > 1.01 || $3 / ($2 * $2 / 1024) < 0.99 || $4 < 16 || $5 <= $4 + 90 }
    END { exit !(lines == 60 && !bad) }' "$work/planted-report/crossovers.csv"
result $? "the curves are those that were planted"

report --tuning "$work/planted" --output="$work/by-recipe" && [ -s "$work/by-recipe/crossovers.csv" ]
result $? "the recipe's path does as well, into another folder"
report --tuning "$work/absent.csv"
status=$?
fails 1 "absent: No such file" "data of a recipe that is not there"
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
fails 2 "no file: mublas report FILE" "no file"
report --tuning
status=$?
fails 2 "'--tuning' is without a value" "an option without its value"
report --tuning "$data" --draw
status=$?
fails 2 "'--draw' is not an option" "a foreign option"

# The script: tables everywhere, plots where there is matplotlib.
if ! command -v python3 > /dev/null; then
    echo "ok $((++number)) - launch shapes are summed up # SKIP no python3"
    echo "1..$number"
    exit
fi
plots() { python3 "$source_tree/bench/tuning_plots.py" --output="$work/plots" "$@" > "$work/output" 2> "$work/errors"; }
plots "$data" && grep -Eq "^Planted <device>, 2026-11-22 by a test$" "$work/output"
result $? "the script says of what device the data are"
close=" +98\.0% +97\.6% +80\.0% +80\.0% +50\.0% +50\.0%"
grep -Eq "^dsymv +square +26$close$" "$work/output" && grep -Eq "^dgemv_none +tall +26 +98\.0%" "$work/output"
result $? "how close to the best rules, occupancy and built-in shapes come, for each form"
{ cat "$data"; printf 'dsymv,square,77'; } > "$work/growing.csv"
plots "$work/growing.csv"
result $? "a last line that is being written is left out"
head -n 40 "$data" | sed '20s/^\(.*\),[^,]*,\([^,]*,[^,]*,[^,]*\)$/\1,slow,\2/' > "$work/bad.csv"
plots "$work/bad.csv"
[ $? = 1 ] && [ "$(grep -vc 'no matplotlib' "$work/errors")" = 1 ] &&
    grep -q "bad.csv: '.*,slow,.*' is no time of a shape" "$work/errors"
result $? "what is no time is refused by name"
{
    echo "# device: Planted <device>, 132 multiprocessors"
    echo "routine,type,flags,m,n,lda,layout,cache,bytes,cublas_us"
    echo "symv,d,L,1024,1024,1024,aligned,cold,1,100"
} > "$work/peer.csv"
plots --peer="$work/peer.csv" "$data"
result $? "cuBLAS's times are taken from the kernels' benchmark"
sed -i 's/Planted/Other/' "$work/peer.csv"
plots --peer="$work/peer.csv" "$data"
[ $? = 1 ] && grep -q "peer.csv: measured on another device" "$work/errors"
result $? "but not from another device"
if python3 -c 'import matplotlib' 2> "$work/errors"; then
    plots "$data" "$work/planted-report/crossovers.csv" &&
        [ -s "$work/plots/dsymv-square.svg" ] && [ -s "$work/plots/dgemv_none-tall.svg" ] &&
            [ -s "$work/plots/crossover-dsymv.svg" ]
    result $? "and all is drawn"
else
    echo "ok $((++number)) - and all is drawn # SKIP no matplotlib"
fi
echo "1..$number"

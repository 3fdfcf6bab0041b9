#!/bin/bash
# bench/programs: every program is right on the host and on the emulated device, and the
# driver's table, verdicts and plots say what was measured.
. tests/environment.sh
python3 -c pass 2> /dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
. "$source_tree/tests/tap.sh"
use_emulated_driver
use_reference_libraries
driver=$source_tree/bench/programs

# measure FOLDER ARGUMENT...: exit status in $status
measure()
{
    local folder=$1
    shift
    MUBLAS_OFFLOAD=always python3 "$driver/run.py" -p "$build/bench/programs" -o "$work/$folder" \
        --contenders host,mublas --plan tiny "$@" > "$work/output" 2> "$work/errors"
    status=$?
}

# judge FILE...: a report of these data files
judge()
{
    rm -rf "$work/judged"
    python3 "$driver/report.py" "$@" "$work/judged" > "$work/output" 2> "$work/errors"
    status=$?
}

measure all -s "$shim_preload"
[ $status = 0 ]
result $? "the driver runs all programs on the host and through the shim"
data=$work/all/programs.csv
[ "$(grep -c ',ok,' "$data")" = 48 ]
result $? "12 programs, 2 rounds each, none fails"
awk -F, '$3 == "ok" && !($11 >= 0 && $11 < 60 && ($12 == "" || $12 < 60)) { bad = 1; print "# " $0 }
         END { exit bad }' "$data"
result $? "all residuals and orthogonality below 60 units"
bits="$(grep ' mublas ' "$work/all/table.txt" | grep -c 'equal$')"
[ "$bits" -ge 8 ] && ! grep -q DIFFER "$work/all/table.txt"
result $? "$bits programs have bits of their own on the device, equal in both rounds"
[ -s "$work/all/speed-later.svg" ] && [ -s "$work/all/speed-first.svg" ] && for plot in "$work"/all/*.svg; do
    python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' "$plot" || break
done
result $? "the plots are well-formed"
[ "$(grep -c '>power 60<' "$work/all/speed-later.svg")" = 1 ]
result $? "and name their cases"

# A library that is slightly wrong, in place of the shim.
rough=$build/tests/system/.libs/rough_blas.so
ROUGHNESS=1e-9 measure rough -s "${sanitizer_preload:+$sanitizer_preload:}$rough" --only lanczos
[ $status = 1 ] && grep -q "^MISSED *errors at most" "$work/rough/summary.txt" &&
    grep -q "missed: lanczos 60 mublas: residual" "$work/rough/summary.txt"
result $? "a library with errors of 1e-9 is found out"
measure failing -s "$shim_preload" --only power -b "$driver/run.py"
[ $status = 1 ] && grep -q ",failed," "$work/failing/programs.csv" &&
    grep -q "^FAILED  *power" "$work/failing/summary.txt"
result $? "a program that cannot run is reported as failed"

# planted CONTENDER ROUND SECONDS RESIDUAL DIGEST [STATUS]: a row of dsytrd 8192
planted() { echo "$1,$2,${6:-ok},30,dsytrd,8192,2,$3,$3,,$4,1.5,$5"; }
plant()
{
    grep -m 1 "^contender," "$data" > "$work/planted.csv"
    planted host 1 6 5.0 a >> "$work/planted.csv"
    planted host 2 6 5.0 a >> "$work/planted.csv"
    cat >> "$work/planted.csv"
    judge "$work/planted.csv"
}
says() { grep -q "$1" "$work/judged/summary.txt"; }

plant < <(planted mublas 1 1.0 6 b; planted mublas 2 1.1 6 b; planted nvblas 1 2.0 5 c)
[ $status = 0 ] && says "^MET  *dsytrd n=8192" && says "mublas: 5.71" && says "^MET  *never slower"
result $? "fast enough, right and repeatable: met"
plant < <(planted mublas 1 1.3 6 b; planted mublas 2 1.3 6 b; planted nvblas 1 1.2 5 c)
[ $status = 0 ] && says "^MISSED  *dsytrd n=8192" && says "missed: .* 0.92 times" && says "^MISSED  *never"
result $? "too slow, and slower than NVBLAS: missed"
plant < <(planted mublas 1 1.0 6 b; planted mublas 2 1.0 6 c)
[ $status = 1 ] && says "^MISSED  *the same bits" && grep -q DIFFER "$work/judged/table.txt"
result $? "other bits in the second round: missed, and exit status 1"
plant < <(planted mublas 1 1.0 10.1 b; planted mublas 2 1.0 6 b)
[ $status = 1 ] && says "residual 10.1 beside 5"
result $? "more than twice the host's residual, in one round of two: missed, and exit status 1"
plant < <(planted mublas 1 1.0 nan b)
[ $status = 1 ] && says "^MISSED  *errors"
result $? "so is a NaN"
plant < <(planted mublas 1 1.0 6 b; echo "nvblas,1,over,40,dsytrd,8192,,,,,,,")
[ $status = 0 ] && says "^MET  *never slower" && grep -q "nvblas .*ended after 40 s" "$work/judged/table.txt"
result $? "a peer that was ended is said to be so"
says "^NOT MEASURED  zheevd n=8192"
result $? "what was not measured counts as neither"

for arguments in "-s /nonexistent" "-s $shim --only nonsense" "-s $shim --contenders host,nonsense" \
    "-s $shim --plan x"; do
    measure bad $arguments
    [ $status != 0 ] && grep -q "nonexistent\|nonsense\|'x'" "$work/errors"
    result $? "run.py $arguments: refused by name"
done
echo "1..$number"

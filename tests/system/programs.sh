#!/bin/bash
# bench/programs: every program is right on the host and on the emulated device, and the
# driver's table, verdicts and plots say what was measured.
. tests/environment.sh
only_on_day PROGRAMS_FULL 0
python3 -c pass 2> /dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
. "$source_tree/tests/tap.sh"
use_emulated_system
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
[ "$(grep -c ',ok,' "$data")" = 92 ]
result $? "23 programs, 2 rounds each, none fails"
awk -F, '$3 == "ok" && !($11 >= 0 && $11 < 60 && ($12 == "" || $12 < 60)) { bad = 1; print "# " $0 }
         END { exit bad }' "$data"
result $? "all residuals and orthogonality below 60 units"
# LAPACK's programs begin anew in every repetition, others go on.
awk -F, 'NR > 1 { key = $1 "," $2 "," $3 ($1 ~ /^[dz]/ ? "" : "," $5); rows++
                  if (!(key in first)) first[key] = $7
                  if ($7 != first[key] || !($6 >= 0)) { bad = 1; print "# " $0 } }
         END { exit bad || rows != 184 }' "$work/all/repetitions.csv"
result $? "each repetition has a row, with the same bits where it is the same work"
bits="$(grep ' mublas ' "$work/all/table.txt" | grep -c 'equal$')"
[ "$bits" -ge 8 ] && ! grep -q DIFFER "$work/all/table.txt"
result $? "$bits programs have bits of their own on the device, equal in both rounds"
[ -s "$work/all/speed-later.svg" ] && [ -s "$work/all/speed-first.svg" ] && for plot in "$work"/all/*.svg; do
    python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' "$plot" || break
done
result $? "the plots are well-formed"
[ "$(grep -c '>power 60<' "$work/all/speed-later.svg")" = 1 ]
result $? "and name their cases"

# The contender that programs would have to be rewritten for, over the emulated cuSOLVER, which has no DDgels.
measure peer -s "$shim_preload" --contenders host,cusolver
[ $status = 0 ] && [ "$(grep -c '^cusolver,.*,ok,' "$work/peer/programs.csv")" = 26 ] &&
    grep -q "^# cusolver dgels 60: LEFT OUT: .*DDgels" "$work/peer/programs.csv"
result $? "the peer solves the problems of 13 programs"
awk -F, '$1 == "cusolver" && !($11 >= 0 && $11 < 60 && ($12 == "" || $12 < 60)) { bad = 1; print "# " $0 }
         END { exit bad }' "$work/peer/programs.csv"
result $? "rightly"

# NumPy's and SciPy's eigh and svd, left out where there are none.
mkdir "$work/none"
echo 'raise ImportError("no NumPy here")' > "$work/none/numpy.py"
PYTHONPATH=$work/none measure python -s "$shim_preload" --plan python
grep -q "^# mublas scipy_eigh_complex 3000: LEFT OUT: .*no NumPy here" "$work/python/programs.csv" &&
    grep -q "^run.py: mublas scipy_eigh_complex 3000: LEFT OUT: .*no NumPy here" "$work/errors"
result $? "programs in Python are left out where NumPy is missing, which is said"
if python3 -c "import numpy, scipy.linalg" 2> /dev/null; then
    for problem in numpy_eigh numpy_eigh_complex numpy_svd numpy_svd_complex scipy_eigh scipy_eigh_complex; do
        MUBLAS_OFFLOAD=always LD_PRELOAD=$shim_preload python3 "$driver/python_linalg.py" $problem 80 3 \
            > "$work/output" 2> "$work/errors"
        # MRRR's vectors are less orthogonal
        awk -F, '!(NF == 9 && $7 >= 0 && $7 < 100 && $8 < 1000) { exit 1 }' "$work/output"
        result $? "$problem"
    done
else
    result 0 "programs in Python # SKIP no NumPy or SciPy"
fi

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

# planted CONTENDER ROUND SECONDS RESIDUAL DIGEST [STATUS]: a row of $program 8192
program=dsytrd
planted() { echo "$1,$2,${6:-ok},30,$program,8192,2,$3,$3,,$4,1.5,$5"; }
plant()
{
    {
        grep -m 1 "^contender," "$data"
        planted host 1 8 5.0 a
        planted host 2 8 5.0 a
        cat
    } > "$work/planted.csv"
    judge "$work/planted.csv"
}
says() { grep -q "$1" "$work/judged/summary.txt"; }

plant < <(planted mublas 1 1.0 6 b; planted mublas 2 1.1 6 b; planted nvblas 1 2.0 5 c)
[ $status = 0 ] && says "^MET  *dsytrd n=8192" && says "mublas: 7.62" && says "^MET  *never slower"
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
says "^NOT MEASURED  zheevd n=4096"
result $? "what was not measured counts as neither"
plant < <(planted mublas 1 1.0 6 b; planted cusolver 1 0.9 5 c)
says "^MET  *later repetitions at most 15% slower" && says "dsytrd 8192 mublas: 1.11 times"
result $? "11% slower than the peer: met"
plant < <(planted mublas 1 1.0 6 b; planted cusolver 1 0.8 5 c)
says "^MISSED  *later repetitions at most 15% slower" && says "missed: dsytrd 8192 mublas: 1.25 times"
result $? "25% slower: missed"
program=dsyevd
plant < <(planted mublas 1 0.5 6 b)
says "^MISSED  *dsyevd n=8192 at least 18" && says "^MET  *dsyevd n=8192, first repetition, at least 9"
result $? "the first repetition has a figure of its own"
program=dsyevd_loop
plant < <(planted mublas 1 8.05 6 b)
says "^MET  *eigenproblems too small" && says "mublas: +0.6%"
result $? "0.6% slower than the host where the device is no help: met"
plant < <(planted mublas 1 8.2 6 b)
says "^MISSED  *eigenproblems too small" && says "mublas: +2.5%"
result $? "2.5% slower: missed"

for arguments in "-s /nonexistent" "-s $shim --only nonsense" "-s $shim --contenders host,nonsense" \
    "-s $shim --plan x"; do
    measure bad $arguments
    [ $status != 0 ] && grep -q "nonexistent\|nonsense\|'x'" "$work/errors"
    result $? "run.py $arguments: refused by name"
done
# Whole short processes: each contender in each round, as many calls as the host makes in that time.
python3 "$driver/short.py" -p "$build/bench/programs" --shim "new=$shim_preload" --shim "old=$shim_preload" -o "$work/short" \
    --only "dsyevd 32,dgesv 32,dgemm 32" --seconds 0.05,0.1 --rounds 2 > "$work/output" 2> "$work/errors"
short=$?
awk -F, '/^#/ { next } $3 == "ok" { rows[$1]++; calls[$6, $5] = $8 } $3 == "failed" { failed = 1 }
    END { exit !(rows["host"] == 12 && rows["new"] == 12 && rows["old"] == 12 && !failed &&
        calls["dgemm", "0.1"] > calls["dgemm", "0.05"]) }' \
    "$work/short/short.csv" && [ $short = 0 ] && grep -q '^# command: bench/programs/short.py ' "$work/short/summary.csv" &&
    [ "$(grep -c ',host,2,[0-9.]*,1.000,0.0,' "$work/output")" = 6 ] && [ "$(grep -c '^d.*,new,2,' "$work/short/summary.csv")" = 6 ]
result $? "short.py: every case on the host and under both shims, medians beside the host's"
for routine in dsyevd dgesv dgemm; do
    MUBLAS_OFFLOAD=always LD_PRELOAD=$shim_preload "$build/bench/programs/short_calls" $routine 150 2 > "$work/output" 2> "$work/errors" &&
        grep -q "^$routine,150,2,[0-9.]*,[0-9.]*\$" "$work/output"
    result $? "short_calls: $routine on the device"
done
echo "1..$number"

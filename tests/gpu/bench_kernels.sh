#!/bin/bash
# The kernel bench on the emulated device: every contender agrees on every routine, graphs
# are captured and replayed, and the reports judge figures as they should. No time is judged:
# an operation of the emulated device counts as a microsecond, and so does a whole graph.
. tests/environment.sh
only_on_day BENCH_FULL 1
. "$source_tree/tests/tap.sh"
use_emulated_driver
if [ -n "$sanitizers" ]; then
    echo "1..0 # SKIP the bench takes minutes under sanitizers; other tests run the same kernels and graphs there"
    exit
fi
measure=bench/kernels/measure

# run ARGUMENT...: the bench's status; its words are in $work/output and $work/errors.
run()
{
    "$measure" "$@" > "$work/output" 2> "$work/errors"
}

run -w -n 33 -k 2 -m 8 -o "$work/all.csv" && [ "$(grep -c ',agrees$' "$work/all.csv")" = 42 ] &&
    ! grep -q disagrees "$work/all.csv" && [ "$(grep -c '^symv,w,.*,unchecked$' "$work/all.csv")" = 2 ]
result $? "42 cases of 4 types agree with cuBLAS, 2 of double-double have no peer"

[ "$(grep -c ',100,2,,0\.0100,0\.0000,0\.0100,0\.0100,agrees$' "$work/all.csv")" = 42 ]
result $? "each was timed as a graph of 100 calls, in both modes of cuBLAS"

run -c -n 34 -r symv -t sz -f LN -l odd,shifted -k 1 -m 2 -o "$work/layouts.csv" &&
    [ "$(grep -c '^symv,s,L,34,34,35,odd,cold,.*,agrees$' "$work/layouts.csv")" = 1 ] &&
    [ "$(grep -c '^hemv,z,L,34,34,[0-9]*,shifted,cold,.*,,,unchecked$' "$work/layouts.csv")" = 1 ] &&
    [ "$(grep -c ',cold,' "$work/layouts.csv")" = 4 ]
result $? "odd and shifted operands; cuBLAS is not given half an element's alignment"

# A peer with results of its own is found out.
echo 'void dsyr2k_(void) {} void dsymv_(void) {}' > "$work/wrong.c"
if $compiler -shared -fPIC -o "$work/wrong.so" "$work/wrong.c" 2> "$work/errors"; then
    EMULATED_HOST_BLAS=$work/wrong.so run -w -r symv -t d -n 65 -k 1 -m 8 -o "$work/wrong.csv"
    [ $? = 1 ] && [ "$(grep -c ',0\.0100,0\.0000,,,peer errs$' "$work/wrong.csv")" = 2 ] &&
        grep -q 'dsymv U m=65 n=65 aligned: contenders disagree: real number [0-9]* ' "$work/errors"
    result $? "a wrong peer is named and not timed"
else
    echo "ok $((number += 1)) - # SKIP a wrong peer: $compiler makes no shared library here"
fi

# The reference BLAS adds to the unit diagonal's term one product after another, and rounds as often.
run -c -G -r trmv -t d -f UNu -n 700 -k 1 -m 20 -o "$work/chain.csv" && grep -q ',agrees$' "$work/chain.csv"
result $? "a peer that adds a chain may err by what a chain may"

# The planted error of the emulated device: in kernels with edge 64 and U = 2.
EMULATED_TIME="execute 1000; wrong 64 2" run -w -R -r symv,trmv -t d -f LNn -n 130 -k 1 -m 8 -o "$work/shapes.csv" \
    -s chosen -s 64,16,4,2,0,0,4,0 -s 128,32,4,1,0,0,4,0 -s 8,64,1,1,0,0,1,3
[ $? = 1 ] && [ "$(grep -c ',agrees,"\(chosen\|128,32,4,1,0,0,4,0\|8,64,1,1,0,0,1,3\)"$' "$work/shapes.csv")" = 5 ] &&
    [ "$(grep -c ',disagrees,"64,16,4,2,0,0,4,0"$' "$work/shapes.csv")" = 2 ] &&
    grep -q '^# dtrmv LNN .*: not by 8,64,1,1,0,0,1,3: only gemv, symv and hemv have strips$' "$work/output"
result $? "shapes that are given, where they suit, and the one of them that is wrong"
run -w -P -R -r trmv -t d -n 33 -m 8 -s 8,64,1,1,0,0,1,3; [ $? = 2 ] &&
    grep -q 'suit none of the cases' "$work/errors"
result $? "shapes that suit nothing"
run -n 64 -s 64,16,4,2; [ $? = 2 ] && grep -q "^measure: -s: cannot use '64,16,4,2'" "$work/errors"
result $? "a bad shape is named"

EMULATED_FAULTS=cublasDsymv_v2:1:15 run -w -r symv -t d -f L -n 65 -k 1 -m 8 -o "$work/declined.csv" &&
    [ "$(grep -c ',0\.0100,0\.0000,,0\.0100,agrees$' "$work/declined.csv")" = 1 ] &&
    grep -q 'cuBLAS: a level 1 or 2 call failed with status 15' "$work/errors"
result $? "a call that cuBLAS declines leaves its figure out"

run -w -G -r trmv,axpy -t c -n 33 -k 1 -m 8 && grep -q '^ctrmv UCN .* warm ' "$work/output"
result $? "plain launches instead of graphs"

run -n 64,x; [ $? = 2 ] && grep -q "^measure: -n: cannot use 'x'" "$work/errors"
result $? "a bad size is named"
run -n 30000 -m 1; [ $? = 2 ] && grep -q 'leave no case' "$work/errors"
result $? "no case left"
run -T 0 -n 65 -t d && grep -q '^# TIME LIMIT: [0-9]* of [0-9]* cases were not measured' "$work/output"
result $? "a run cut short says so"

python=$(command -v python3)
if [ -z "$python" ]; then
    echo "ok $((number += 1)) - # SKIP reports: no python3"
    echo "1..$number"
    exit
fi

report()
{
    "$python" "$source_tree/bench/kernels/report.py" "$1" "$work/reports" > "$work/output" 2> "$work/errors"
}

report "$work/all.csv" && [ "$(grep -c ' warm ' "$work/reports/table.txt")" = 44 ] &&
    [ "$(grep -c '^NOT MEASURED ' "$work/reports/summary.txt")" = 12 ]
result $? "a report of a run in which nothing required was measured"

report "$work/shapes.csv"; [ $? = 1 ] && grep -q 'of a run with -s' "$work/errors"
result $? "no acceptance figures of shapes that were given"

# Figures made up: 1000 GB/s is 1e6 bytes a microsecond; the second-level cache has 1e6 bytes.
cat > "$work/made.csv" << 'END'
# device: made up
# l2_bytes: 1000000
# roof_4gib_begin: 1000.0 GB/s
routine,type,flags,m,n,lda,layout,cache,bytes,calls,replays,roof_us,mublas_us,mublas_spread,cublas_us,cublas_atomics_us,agreement
symv,d,L,1024,1024,1024,aligned,cold,4000000,20,9,4.0,4.4,0.01,7.0,6.6,agrees
symv,d,L,2048,2048,2048,aligned,cold,16000000,20,9,16.0,16.5,0.01,33.0,40.0,agrees
symv,d,L,4096,4096,4096,aligned,cold,64000000,20,9,64.0,66.0,0.01,90.0,66.0,agrees
symv,d,L,8192,8192,8192,aligned,cold,256000000,20,9,256.0,280.0,0.01,280.0,300.0,agrees
symv,d,L,8192,8192,8193,odd,cold,256000000,20,9,256.0,290.0,0.01,280.0,300.0,agrees
trmv,d,LNN,2048,2048,2048,aligned,cold,16000000,20,9,16.0,17.0,0.01,18.0,18.0,agrees
trmv,d,UNN,2048,2048,2048,aligned,cold,16000000,20,9,16.0,32.0,0.01,257.0,300.0,agrees
END
report "$work/made.csv"
grep -q '^MISSED .*92% of roof(n) from 4 L2 up: worst 0.500 (dtrmv UNN n=2048); 3 of 6 meet it' "$work/output"
result $? "percent of roof(n)"
grep -q '^MISSED .*92% of the 4 GiB roof from 16 L2 up: worst 0.500 (dtrmv UNN n=2048); 3 of 5 meet' "$work/output"
result $? "percent of the 4 GiB roof"
grep -q '^MET .*92% of the aligned speed: worst 0.966 (dsymv L n=8192 odd); 1 of 1 ' "$work/output"
result $? "odd against aligned"
# The cube root of 1.5 * 2 * 1
grep -q '^MET .*1.4 times cuBLAS in geometric mean .*: worst 1.442 (dsymv L); 1 of 1 ' "$work/output"
result $? "a geometric mean against the better mode"
grep -q '^MET .*symv, hemv: 1.0 times cuBLAS from n = 8192 up: worst 1.000 (dsymv L n=8192)' "$work/output"
result $? "as fast as the peer is enough at n = 8192"
grep -q '^MET .*trmv: 8 times .*: worst 1.004 (dtrmv UNN n=2048: 8.0 times cuBLAS, 0.500 of roof); 2 of 2' "$work/output"
result $? "trmv by either way"

if command -v gnuplot > /dev/null; then
    grep -q 'cuBLAS, atomics' "$work/reports/dsymv-cold.svg"
    result $? "a plot"
else
    grep -q 'no gnuplot' "$work/errors"
    result $? "without gnuplot the report says that there are no plots"
fi
echo "1..$number"

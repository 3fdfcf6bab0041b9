#!/bin/bash
# bench/lapack and its plots on the emulated device: both solvers' lines, right results, a table; what is refused.
. tests/environment.sh
only_on_day BENCH_FULL 1
. "$source_tree/tests/tap.sh"
use_emulated_system
export EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=3
bench/lapack --orders=9,12 --routines=dsytrd,zheevd --csv="$work/table.csv" > "$work/output" 2> "$work/errors"
result $? "bench/lapack runs, and finds its results right"
number_of() { grep -cE "^$1 .*[0-9] +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ " "$work/output"; }
[ "$(number_of dsytrd)" = 2 ] && [ "$(number_of zheevd)" = 6 ] && ! grep -qE '^(dsyevd|zhetrd)|left out|WRONG' "$work/output"
result $? "a line of times by both for each routine, order and part of the vectors"
[ "$(wc -l < "$work/table.csv")" = 9 ] && [ "$(head -n 1 "$work/table.csv" | tr -cd , | wc -c)" = \
    "$(tail -n 1 "$work/table.csv" | tr -cd , | wc -c)" ]
result $? "the same as a table"
refuses() # TEXT ARGUMENT...
{
    bench/lapack "${@:2}" > "$work/output" 2> "$work/errors"
    [ $? = 2 ] && grep -qF "$1" "$work/errors"
}
refuses "lapack: '--orders=3' is none of --orders=N,N,... (8 to 40000)" --orders=3 &&
    refuses "lapack: '--orders=9,x' is none of" --orders=9,x && refuses "lapack: '--seconds=soon' is none of" --seconds=soon &&
    refuses "lapack: 'n' is none of" n && refuses "lapack: --csv=/nowhere/table: No such file" --csv=/nowhere/table
result $? "and says what is wrong with its arguments"
bench/lapack --orders=9 --routines=dsytrd --seconds=0 > "$work/output" 2> "$work/errors" &&
    grep -q '^# dsytrd, n = 9, by cuSOLVER: left out' "$work/output" &&
    bench/lapack --orders=40000 --routines=dsytrd > "$work/output" 2> "$work/errors" &&
    grep -q '^# dsytrd, n = 40000: left out; there is no memory' "$work/output"
result $? "what there is no time or memory for is left out"
EMULATED_CLUSTER=8 EMULATED_MULTIPROCESSORS=8 bench/lapack_exchange s 2 3 > "$work/output" 2> "$work/errors" &&
    [ "$(grep -cE '^ +s +[23] +[0-9.]+ +[0-9.]+ +- +same$' "$work/output")" = 2 ]
result $? "bench/lapack_exchange times all multiprocessors and a cluster, and finds the same bits"
bench/lapack_exchange e 2> "$work/errors"
[ $? = 2 ] && grep -q "lapack_exchange: 'e' is none of s, d, c, z and orders up to 4096" "$work/errors"
result $? "and says what is wrong with its arguments"
bench/lapack_bidiagonal c check 9 33x20 > "$work/output" 2> "$work/errors" &&
    [ "$(grep -cE '^c +(9 +9|33 +20) +- .* same [0-9a-f]{16}$' "$work/output")" = 2 ]
result $? "bench/lapack_bidiagonal finds a reduction right, and the same again"
bench/lapack_bidiagonal 9y 2> "$work/errors"
[ $? = 2 ] && grep -q "lapack_bidiagonal: '9y' is none of s, d, c, z, check, N and MxN" "$work/errors"
result $? "and says what is wrong with its arguments"
bench/lapack_singular z check 9 20x9 > "$work/output" 2> "$work/errors" &&
    [ "$(grep -cE '^(bdsdc|bdsvx|vectors|values|gesvdp) +[dz] +(9|20) +9 +- .* same$' "$work/output")" = 10 ]
result $? "bench/lapack_singular finds singular values right by all ways, and the same again"
bench/lapack_singular 9x20 2> "$work/errors"
[ $? = 2 ] && grep -q "lapack_singular: '9x20' is none of s, d, c, z, check, .* with M >= N" "$work/errors"
result $? "and says what is wrong with its arguments"
if command -v python3 > /dev/null; then
    python3 "$source_tree/bench/lapack_plots.py" --output="$work" "$work/table.csv" > "$work/output" 2> "$work/errors" &&
        [ "$(grep -c '^zheevd ' "$work/output")" = 3 ]
    result $? "bench/lapack_plots.py reads the table"
    python3 "$source_tree/bench/lapack_plots.py" "$source_tree/README.md" > "$work/output" 2> "$work/errors"
    [ $? = 1 ] && grep -q 'README.md: not a table by bench/lapack' "$work/errors"
    result $? "and nothing else"
else
    skip "bench/lapack_plots.py" "python3 is missing"
fi
echo "1..$number"

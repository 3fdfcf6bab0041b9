#!/bin/bash
# mublas run --estimate: which calls a GPU would have had, and for how long, without one.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/waking_recipe.sh"
[ -x tests/system/estimated ] || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }
[ -z "$sanitizers" ] || { echo "1..0 # SKIP their runtimes come first in LD_PRELOAD"; exit 0; }
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
use_emulated_system

# A dsymv or dgemv takes 5000 us on the host and 10 on the GPU, to which a matrix goes in 3000 us, and in 4000 once it
# was there. cuSOLVER's price is built in.
write_waking_recipe "host dgemv_none_square 100 5000 1000000 5000" "device dgemv_none_square 100 10 1000000 10" \
    "route host real vectors 16" "route device real vectors 0.1" || exit 1
sed -i '/^upload/d' "$work/lines"
printf "%s\n" "upload pinned 1000 3000 10000000 3000" "upload pinned-huge 1000 3000 10000000 3000" \
    "upload staged 1000 4000 10000000 4000" >> "$work/lines"
tests/system/make_recipe "$work/lines" > "$work/recipe" || exit 1

estimate() # SOURCE PROGRAM...
{
    local source=$1
    shift
    rm -f "$work/counts"
    EMULATED_COUNT_FILE=$work/counts MUBLAS_VERBOSE=3 "$build/mublas" run --estimate="$source" -- "$@" \
        > "$work/output" 2> "$work/errors"
}
on_gpu() { awk '$1 ~ /^d[a-z]+$/ && $2 $3 ~ /^[0-9]+$/ && NF > 7 { print $1, $2, $3 }' "$work/errors" | sort; }
foretold() { sed -n "s/^mublas: $1: foretold \\([0-9.e+]*\\) us.*/\\1/p" "$work/errors"; }

MUBLAS_RECIPE=$work/recipe MUBLAS_REPORT=$work/report LD_PRELOAD=$shim_preload EMULATED_COUNT_FILE=$work/counts \
    tests/system/estimated 40 20 > "$work/right" 2> "$work/errors"
if grep -q 'tracker: none\|could not track writes' "$work/report"; then
    echo "1..0 # SKIP this kernel tracks no writes, and estimates are of one that does"
    exit 0
fi
ran=$(awk '$1 ~ /^d[a-z]+$/ && $2 $3 $4 ~ /^[0-9]+$/ && $3 > 0 { print $1, $3 }' "$work/report" | sort)
[ -s "$work/counts" ] && [ "$(wc -l <<< "$ran")" = 3 ]
result $? "with a GPU some calls of three routines run there: ${ran//$'\n'/, }"
estimate "$work/recipe" tests/system/estimated 40 20 && [ "$(on_gpu | awk '$3 > 0 { print $1, $3 }')" = "$ran" ] && on_gpu | grep -q '^dsyevd 20 '
result $? "as many are foretold there without, of calls that are no queries: $(on_gpu | tr '\n' ' ')"
cmp -s "$work/output" "$work/right" && [ ! -e "$work/counts" ] && ! grep -q 'is awake' "$work/errors"
result $? "nothing went to the GPU, and the host's results are the program's"
stays=$((20 - $(foretold dsyevd_ | wc -l))) # each of which calls dsytrd
[ "$stays" -lt 15 ] && grep -Eq "^  dsytrd +$stays " "$work/errors"
result $? "what the host's LAPACK calls in the GPU's stead does not count"
grep -Eq '^  first calls: 0\.14 s more \(waking the GPU 0\.07, cuSOLVER 0\.07\)$' "$work/errors"
result $? "the first calls' price is told"
estimate "$work/recipe" tests/system/estimated 40
[ "$(foretold dsymv_ | awk '$1 > 2900' | wc -l)" = 1 ] && [ "$(foretold dsymv_ | awk '$1 == 10' | wc -l)" -gt 10 ]
result $? "a matrix that stays the same goes up once"
[ "$(foretold dgemv_ | wc -l)" -gt 10 ] && [ -z "$(foretold dgemv_ | awk '$1 < 3000')" ]
result $? "one that is rewritten between calls goes up each time"
grep -q '^  not timed, too small ever to pay: dgemm 40$' "$work/errors" &&
    grep -q '^  not timed, not offloaded by mublas: .*ddot 40' "$work/errors"
result $? "calls that are too small are named, and those that mublas does not offload"
# Each number of the sums is there, and a range is around what is foretold.
in_order() { awk -v what="$1" 'index($0, what) == 1 { gsub(/[(),]/, ""); for (i = 1; i <= NF; i++) if ($i ~ /^[0-9.]+$/) v[n++] = $i }
    END { exit !(n == 4 && v[2] <= v[1] && v[1] <= v[3] && v[0] > 0) }' "$work/errors"; }
in_order "  BLAS and LAPACK:" && in_order "  whole run:"
result $? "sums have a range"
grep -q "^  GPU         Emulated device, by $(readlink -f "$work/recipe")\$" "$work/errors" &&
    grep -q 'are curves of the recipe' "$work/errors"
result $? "so are the GPU and the recipe"

# Each has a section, in whatever order they end. One run of seven had no such child, so there are three tries.
child_has_its_own()
{
    estimate "$work/recipe" tests/system/estimated 40 0 fork
    child=$(awk '/^mublas estimate of process/ { estimates++ }
        estimates && $1 ~ /^d[a-z]+$/ && $2 $3 ~ /^[0-9]+$/ && NF > 7 { calls[estimates] = calls[estimates] $1 " " $2 " " $3 "," }
        END { print (calls[1] ~ /^dsymv 1 / ? calls[1] : calls[2]) }' "$work/errors")
    [ "$(grep -c '^mublas estimate of process' "$work/errors")" = 2 ] && [ "$child" = "dsymv 1 0," ] &&
        sed '/^mublas estimate/,$!d' "$work/errors" | grep -q 'in a fork child'
}
child_has_its_own || child_has_its_own || child_has_its_own
result $? "a child has its own calls alone: $child"

estimate H100 tests/system/estimated 2 && grep -q '^  GPU         NVIDIA H100 SXM, by built-in times$' "$work/errors" &&
    grep -q '^  first calls: nothing' "$work/errors"
result $? "a short program would wake no H100"
"$build/mublas" run --estimate --report="$work/estimate" -- sh -c 'tests/system/estimated 1; tests/system/estimated 1' \
    > "$work/output" 2> "$work/errors" && [ ! -s "$work/errors" ] && grep -q '^mublas estimate of 2 processes' "$work/estimate"
result $? "a report's file has it instead"
calls_of() { awk -v name="$1" '$1 == name { print $2; exit }' "$2"; }
# Seconds of the whole run, here and with the GPU, of the Nth that is told.
run_seconds() { sed -n 's/^  whole [^:]*: \([0-9.]*\) s here, \([0-9.]*\) s with.*/\1 \2/p' "$work/errors" | sed -n "$1p"; }
estimate "$work/recipe" sh -c 'tests/system/estimated 40; tests/system/estimated 20; tests/system/estimated 1' &&
    [ "$(grep -c '^mublas estimate of process [0-9]* (tests/system/estimated)' "$work/errors")" = 3 ] &&
    head -1 <(sed -n '/^mublas estimate/p' "$work/errors") | grep -q '^mublas estimate of 3 processes (sh): nothing ran on a GPU$' &&
    [ "$(calls_of dsymv "$work/errors")" = 61 ]
result $? "programs that a script starts have one estimate, sums first: $(calls_of dsymv "$work/errors") calls"
[ "$(grep -c '^  whole' "$work/errors")" = 4 ] && { run_seconds 1; run_seconds 2; run_seconds 3; run_seconds 4; } | awk '
    NR == 1 { here = $1; gains = $1 - $2 } NR > 1 { all += $1; saved += $1 - $2 }
    END { d = gains - saved; exit !(here >= all - 0.003 && d < 0.003 && d > -0.003) }'
result $? "the job gains what they gain one after the other: $(run_seconds 1)"
"$build/mublas" run --estimate="$work/recipe" --report="$work/one" -- tests/system/estimated 40 &&
    "$build/mublas" report "$work/one" "$work/estimate" > "$work/errors" 2>&1 && grep -q '^mublas estimate of 3 processes' "$work/errors" &&
    [ "$(calls_of dsymv "$work/errors")" = 42 ]
result $? "mublas report adds estimates up"
MUBLAS_REPORT=$work/plain LD_PRELOAD=$shim_preload tests/system/estimated 1 > "$work/output" 2>&1
! "$build/mublas" report "$work/one" "$work/plain" > "$work/output" 2> "$work/errors" && [ ! -s "$work/output" ] &&
    [ "$(cat "$work/errors")" = "mublas report: 1 of 2 are estimates, the others reports: they do not add up" ] &&
    ! "$build/mublas" report --output="$work/p.html" "$work/one" 2> "$work/errors" && grep -q 'an estimate is text, and no page' "$work/errors"
result $? "but none to a report, nor makes it a page of one"

refused() # SOURCE WORDS
{
    "$build/mublas" run --estimate="$1" -- tests/system/estimated 1 > "$work/output" 2> "$work/errors"
    [ $? = 2 ] && [ ! -s "$work/output" ] && [ "$(wc -l < "$work/errors")" = 1 ] && grep -qF -- "--estimate='$1'" "$work/errors" &&
        grep -q "$2" "$work/errors"
}
refused "$work/none" 'No such file' && refused h200 'No such file'
result $? "a file that is not there is told in one line"
echo "no recipe" > "$work/wrong"
refused "$work/wrong" 'neither h100 nor a recipe with times of calls'
result $? "one that is no recipe, too"
MUBLAS_ESTIMATE=$work/wrong LD_PRELOAD=$shim_preload tests/system/estimated 20 > "$work/output" 2> "$work/errors"
[ $? = 0 ] && [ "$(grep -c "^mublas: MUBLAS_ESTIMATE='$work/wrong' is neither" "$work/errors")" = 1 ]
result $? "by the setting the line is the program's first, and an H100 is taken"
"$build/mublas" run --estimate --report="$work/page.html" -- tests/system/estimated 1 > "$work/output" 2> "$work/errors"
[ $? = 2 ] && grep -q 'page.html: an estimate cannot be written there: it is text' "$work/errors"
result $? "a page is refused"
MUBLAS_REPORT=$work/page.html "$build/mublas" run --estimate -- tests/system/estimated 1 > "$work/output" 2> "$work/errors" && [ ! -e "$work/page.html" ] &&
    grep -q '^mublas run: MUBLAS_REPORT=.*page.html: an estimate cannot be written there' "$work/errors" && grep -q '^mublas estimate' "$work/errors"
result $? "one that the environment names is not, and the estimate comes to standard error"
if command -v xz > /dev/null; then
    xz -dc "$source_tree/bench/results/h100-crossovers/calls.csv.xz" | "$build/bench/foretold" > "$work/output" 2> "$work/errors"
    awk '$1 == "all" { exit !($2 > 3000 && $3 > 0.77 && $5 > 0.9 && $5 < 1.1 && $7 < 1.2) }' "$work/output" && grep -q '^all' "$work/output"
    result $? "what is built in for an H100 is right for 90 of 100 calls that were measured there"
fi
echo "1..$number"

#!/bin/bash
# What `mublas tune` learns of LAPACK's eigensolvers: calls timed on either side, factors in the recipe, and the orders
# that mublas info makes of them.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_TEST_SHIM MUBLAS_REPORT MUBLAS_OFFLOAD GLIBC_TUNABLES LD_PRELOAD MUBLAS_HOST_BLAS
if [ -n "$sanitizers" ]; then
    echo "1..0 # SKIP a sanitized library cannot be loaded by the command that is started anew"
    exit 0
fi
use_emulated_driver
use_reference_libraries
ask_for_no_pins
export OMP_NUM_THREADS=1

# timed MODE: the answers to some requests, and a report
timed()
{
    printf 'route dsyevd 40 V\nroute zheevd 33 N\nroute dgemm 40 V\nroute dsyevd 0 N\nanswer\n' |
        MUBLAS_OFFLOAD=$1 MUBLAS_REPORT=$work/report LD_PRELOAD=$shim_preload "$build/mublas" timed-calls 0 \
            > "$work/output" 2> "$work/errors" && [ ! -s "$work/errors" ]
}
# ran ROUTINE COLUMN CALLS: 3 on the device, 4 on the host
ran() { awk -v routine="$1" -v column="$2" '$1 == routine && $4 ~ /^[0-9]+$/ { n = $column } END { print n + 0 }' "$work/report"; }
times='NR <= 2 && NF == 2 && $1 > 0 && $2 > 0 { good++ } NR > 2 && $0 == "none" { good++ } END { exit !(good == 4 && NR == 4) }'

timed always && awk "$times" "$work/output" && [ "$(ran dsyevd 3)" = 4 ] && [ "$(ran zheevd 3)" = 4 ]
result $? "routines are timed on the device; what is none, or has no order, is not"
timed never && awk "$times" "$work/output" && [ "$(ran dsyevd 4)" = 4 ] && [ "$(ran dsymv 3)" = 0 ] && [ "$(ran dsytrd 3)" = 0 ]
result $? "and on the host, with all that is called inside"

recipe=$work/recipe
"$build/mublas" tune --crossovers-only --memory=64 --time-limit=14 --output="$recipe" > "$work/output" 2> "$work/errors"
status=$?
grep '^route' "$recipe" > "$work/routes"
[ $status = 0 ] && [ "$(grep -c '^route host ' "$work/routes")" -ge 1 ] && [ "$(grep -c '^route device ' "$work/routes")" -ge 1 ]
result $? "within its time mublas tune learns factors of both sides: $(grep -c . "$work/routes")"
awk '$1 != "route" || !($5 >= 1 / 16 && $5 <= 16) { bad++ } END { exit bad > 0 }' "$work/routes"
result $? "each between a sixteenth and sixteen"
"$build/mublas" tune --crossovers-only --memory=64 --time-limit=3 --routines=dsymv --output="$recipe" > "$work/output" 2> "$work/errors"
[ $? = 0 ] && grep '^route' "$recipe" | cmp -s - "$work/routes"
result $? "which stay when other routines are learned anew"

# orders LINES: what mublas info says of dsyevd, and where it is from
orders()
{
    printf 'host-blas %s\nhost-threads 1\n%s' "$(readlink -f "$host_blas")" "$1" > "$work/lines"
    tests/system/make_recipe "$work/lines" > "$recipe.made" &&
        MUBLAS_RECIPE=$recipe.made MUBLAS_HOST_BLAS=$host_blas "$build/mublas" info --crossovers > "$work/output" 2> "$work/errors" &&
        [ ! -s "$work/errors" ] && awk '{ for (i = 1; i < NF; i++) if ($i == "dsyevd") print $(i + 1) }' "$work/output"
}
before=$(orders "") && grep -q '^LAPACK routines .*(built in)$' "$work/output" && [ "$before" -ge 96 ]
result $? "mublas info says from which order dsyevd pays: $before"
after=$(orders $'route host real vectors 0.5\nroute device real vectors 5\n') && [ "$after" -gt "$before" ] &&
    grep -q '^LAPACK routines .*(eigensolvers learned' "$work/output"
result $? "and, where it was learned, that: $after"
MUBLAS_OFFLOAD=never "$build/mublas" info --crossovers | grep -q ' dsyevd never'
result $? "never, where nothing leaves the host"
echo "1..$number"

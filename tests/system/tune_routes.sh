#!/bin/bash
# Lessons of `mublas tune` on LAPACK's routines: calls timed on either side, factors in the recipe, and the orders that
# mublas info makes of them.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
if [ -n "$sanitizers" ]; then
    echo "1..0 # SKIP a sanitized library cannot be loaded by the command that is started anew"
    exit 0
fi
use_emulated_system
ask_for_no_pins
export OMP_NUM_THREADS=1

# timed MODE: the answers to some requests, and a report
timed()
{
    printf 'route %s\n' 'dsyevd 40 V' 'zheevd 33 N' 'dgetrf 40 -' 'dgesdd 34 S' 'dgemm 40 V' 'dsyevd 0 N' |
        MUBLAS_OFFLOAD=$1 MUBLAS_REPORT=$work/report LD_PRELOAD=$shim_preload "$build/mublas" timed-calls 0 \
            > "$work/output" 2> "$work/errors" && [ ! -s "$work/errors" ]
}
# ran ROUTINE COLUMN CALLS: 3 on the device, 4 on the host
ran() { awk -v routine="$1" -v column="$2" '$1 == routine && $4 ~ /^[0-9]+$/ { n = $column } END { print n + 0 }' "$work/report"; }
times='NR <= 4 && NF == 2 && $1 > 0 && $2 > 0 { good++ } NR > 4 && $0 == "none" { good++ } END { exit !(good == 6 && NR == 6) }'

timed always && awk "$times" "$work/output" && [ "$(ran dsyevd 3)" = 4 ] && [ "$(ran zheevd 3)" = 4 ] &&
    [ "$(ran dgetrf 3)" = 4 ] &&
    [ "$(ran dgesdd 3)" = 4 ]
result $? "routines are timed on the device; what is none, or has no order, is not"
timed never && awk "$times" "$work/output" && [ "$(ran dsyevd 4)" = 4 ] && [ "$(ran dgesdd 4)" = 4 ] &&
    [ "$(ran dsymv 3)" = 0 ] && [ "$(ran dsytrd 3)" = 0 ]
result $? "and on the host, with all that is called inside"

recipe=$work/recipe
factors_of() { grep -c "^route $1 " "$work/routes"; }
for limit in 14 60; do # more on a machine that does ten things at once
    "$build/mublas" tune --crossovers-only --memory=64 --time-limit=$limit --output="$recipe" > "$work/output" 2> "$work/errors"
    status=$?
    grep '^route' "$recipe" > "$work/routes"
    [ "$(factors_of device)" = 0 ] || break
done
[ $status = 0 ] && [ "$(factors_of host)" -ge 1 ] && [ "$(factors_of device)" -ge 1 ]
result $? "mublas tune learns factors of both sides: $(grep -c . "$work/routes")"
awk '$2 == "own" { next } $1 != "route" || !($5 >= 1 / 16 && $5 <= 16) { bad++ } END { exit bad > 0 }' "$work/routes"
result $? "each between a sixteenth and sixteen"
"$build/mublas" tune --crossovers-only --memory=64 --time-limit=3 --routines=dsymv --output="$recipe" > "$work/output" 2> "$work/errors"
[ $? = 0 ] && grep '^route' "$recipe" | cmp -s - "$work/routes"
result $? "which stay when other routines are learned anew"

# The kernels' results are nothing to it.
EMULATED_TIME="execute 0" EMULATED_POISON=0 "$build/mublas" tune --crossovers-only --memory=64 --time-limit=90 --routines=sytrd --output="$recipe.own" > "$work/output" 2> "$work/errors" &&
    [ "$(grep -c '^route own \(real\|complex\) [1-9][0-9]*$' "$recipe.own")" -ge 1 ] && grep -q '^route device real vectors' "$recipe.own" &&
    ! grep -q '^route .* \(level3\|singular\)' "$recipe.own"
result $? "--routines=sytrd learns eigensolvers alone: $(grep '^route own' "$recipe.own" | tr '\n' ' ')"
# With a model of time one stage takes as long as its panels, n / 64 - 1 of them on this device; two take as long
# as the chase.
planted="execute 0; takes dsytrd_panel 1e-3; takes dband_chase 60e-3"
planted="$planted; takes ssytrd_panel 2e-3; takes sband_chase 180e-3"
# A cluster is faster in d, and slower in z, at any order.
planted="$planted; takes dsytrd_cluster 1e-5; takes dsytrd_chip 2e-5"
planted="$planted; takes zhetrd_cluster 2e-5; takes zhetrd_chip 1e-5"
tune_planted() # TIMES
{
    ( export EMULATED_TIME=$1 EMULATED_COOPERATIVE=1 EMULATED_POISON=0
      export EMULATED_MULTIPROCESSORS=${multiprocessors-3}
      "$build/mublas" tune --crossovers-only --memory=64 --exhaustive --time-limit=200 --routines=sytrd \
          --output="$recipe.two" ) > "$work/output" 2> "$work/errors"
}
# is_planted PRECISION ORDER: a border of values, and each one near that
is_planted()
{
    awk -v precision="$1" -v border="$2" '
        $2 ~ /^two-stages/ && $3 == precision { values += $2 == "two-stages"; wrong += $4 < 0.96 * border || $4 > 1.04 * border }
        END { exit wrong || !values }' "$recipe.two"
}
tune_planted "$planted" && is_planted double 3904 && is_planted single 5824
result $? "and from which on in two stages: $(grep '^route two' "$recipe.two" | cut -d ' ' -f 2- | tr '\n' ';')"
! grep -q cluster "$recipe.two"
result $? "nothing of clusters, where the device has none"
unknown=
for routine in ssytrd chetrd dsyev cheevd zhegvx sygvd ssytrdx cytrd; do
    "$build/mublas" tune --shapes-only --routines=$routine 2>&1 | grep -q 'of these there are no launch shapes' ||
        unknown="$unknown $routine"
done
[ "$unknown" = " ssytrdx cytrd" ]
result $? "and they have names in all types; no such routine:$unknown"
! grep -q two-stages "$recipe.own"
result $? "what the device is not able to do in two stages has the built-in orders"
sampled TUNE_FULL=1
if on_turn TUNE_FULL; then
    slow="execute 0; takes dsytrd_panel 1; takes dband_chase 1; takes dsytrd_cluster 3; takes dsytrd_chip 3"
    rm "$recipe.two" && EMULATED_CLUSTER=8 multiprocessors=12 tune_planted "$slow" &&
        grep -q '^route host' "$recipe.two" && ! grep -q 'two-stages\|cluster' "$recipe.two"
    result $? "and what it takes too long for"
fi
# A block of 76 KB has no room for the way back, and a cluster of 8 has it for order 224.
rm "$recipe.two" && EMULATED_SHARED=76K EMULATED_CLUSTER=8 multiprocessors=12 tune_planted "$planted" &&
    grep -q '^route host' "$recipe.two" && ! grep -q two-stages "$recipe.two"
result $? "and what its blocks have too little shared memory for"
clusters=$(grep '^route cluster' "$recipe.two" | cut -d ' ' -f 3- | tr '\n' ';')
[ "$clusters" = "double 224;complex-double 32;" ]
result $? "and up to which a cluster reduces: $clusters"
[ "$(grep -c ' level3 ' "$work/routes")" = 2 ]
result $? "of level 3 on both"
# orders LINES [ROUTINE]: what mublas info says of dsyevd or that, and where it is from
orders()
{
    printf 'host-blas %s\nhost-threads 1\n%s' "$(readlink -f "$host_blas")" "$1" > "$work/lines"
    tests/system/make_recipe "$work/lines" > "$recipe.made" &&
        MUBLAS_RECIPE=$recipe.made MUBLAS_HOST_BLAS=$host_blas "$build/mublas" info --crossovers > "$work/output" 2> "$work/errors" &&
        [ ! -s "$work/errors" ] &&
            awk -v routine="${2-dsyevd}" '{ for (i = 1; i < NF; i++) if ($i == routine) print $(i + 1) }' "$work/output"
}
before=$(orders "") && grep -q '^LAPACK routines .*(built in)$' "$work/output" && [ "$before" -ge 96 ]
result $? "mublas info says from which order dsyevd pays: $before"
after=$(orders $'route host real vectors 0.5\nroute device real vectors 5\n') && [ "$after" -gt "$before" ] &&
    grep -q '^LAPACK routines .*(learned: eigenvectors; others built in)$' "$work/output"
result $? "and, where it was learned, that: $after"
stages="^mublas' own eigensolver takes two stages .*: double"
clusters="^  and reduces up to these by a cluster, .*: s"
orders "" > /dev/null && grep -q "$stages [1-9].*, single [1-9].* (built in)\$" "$work/output" &&
    grep -q "$clusters 416 d 384 .* (built in, of 16 blocks)\$" "$work/output" &&
    orders $'route two-stages double 2208\n' > /dev/null &&
    grep -q "$stages 2208 .*, single .* (learned)\$" "$work/output" &&
    grep -q "$clusters 416 .*(built" "$work/output" &&
    orders $'route cluster double 100\n' > /dev/null && grep -q "$stages.* (built in)\$" "$work/output" &&
    grep -q "$clusters 416 d 100 c 320 .* (learned in part; others built in, of 16 blocks)\$" "$work/output"
result $? "and between which orders mublas' own eigensolver takes a cluster, and two stages"
before=$(orders "" zgesv) &&
    after=$(orders $'route host real level3 0.25\nroute device real level3 8\n' zgesv) &&
    [ "$after" -gt "$before" ] &&
    grep -q '^LAPACK routines .*(learned: factorisations; others built in)$' "$work/output"
result $? "factorisations likewise: $before and $after"
before=$(orders "" dgesvd) &&
    after=$(orders $'route host real singular 0.07\nroute device real singular 16\n' dgesvd) &&
    [ "$after" -gt "$before" ] && grep -q '(learned: singular values; ' "$work/output"
result $? "and singular values: $before and $after"
MUBLAS_OFFLOAD=never "$build/mublas" info --crossovers | grep -q ' dsyevd never'
result $? "never, where nothing leaves the host"
echo "1..$number"

#!/bin/bash
# LAPACK's testers, with thin inputs, over other hosts than check_lapack.sh's: one of each
# width and each way of coming in, with some testers of one type each, or with NETLIB_FULL=1 every one in
# both ways, all types and testers. (check_lapack.sh has all testers, check_hosts.sh all hosts.)
. "$top_srcdir/tests/netlib/check.sh"
[ -z "$sanitizers" ] || { echo "1..0 # SKIP the testers run without sanitizers"; exit 0; }
[ -n "$NETLIB_FULL" ] || ask_for_no_pins
lapack='!(*blat[123])'
if [ -n "$NETLIB_FULL" ]; then
    for way in preload replacement; do
        NETLIB_HOSTS="reference openblas-pthread blis-pthread" check_hosts $way lp64 "$lapack" "$lapack"
        NETLIB_HOSTS="reference64 openblas64-pthread blis64-pthread" check_hosts $way ilp64 "$lapack" "$lapack"
    done
else
    sampled NETLIB_FULL=1
    if in_sample 2 0; then
        NETLIB_HOSTS=openblas64-pthread check_hosts preload ilp64 "" "d@(sep|svd|gqr|rfp)"
    else
        NETLIB_HOSTS=blis-pthread check_hosts replacement lp64 "" "z@(se2|sg|lse|test)"
    fi
fi
echo "1..$number"

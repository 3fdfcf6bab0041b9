#!/bin/bash
# LAPACK's testers of eigenvalues and linear equations, with thin inputs: half of them, each of one type, others every
# day, or with NETLIB_FULL=1 all.
. "$top_srcdir/tests/netlib/check.sh"
[ -n "$NETLIB_FULL" ] || ask_for_no_pins
testers=(sep nep se2 svd glm gqr gsv csd lse ed gg gd sb sg bb bak bal gbak gbal test rfp)
pattern='dstest|zctest'
for ((i = 0; i < ${#testers[@]}; i++)); do
    on_turn NETLIB_FULL || continue
    pattern+="|$(type_of_day $i)${testers[i]}"
done
sampled NETLIB_FULL=1
[ -z "$NETLIB_FULL" ] && check "@($pattern)" || check '!(*blat[123])'

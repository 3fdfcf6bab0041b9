#!/bin/bash
# The Netlib BLAS testers, over every kind of host BLAS, by preload.
# On the reference BLAS in check_blas.sh; on half of the others, and its 64-bit one, level 1 of a real and a complex type, which has
# every way to return a number, and of levels 2 and 3 one type each by Fortran and by C: another one every day, or
# with NETLIB_FULL=1 whole.
. "$top_srcdir/tests/netlib/check.sh"
only_on_day NETLIB_FULL 0
[ -n "$NETLIB_FULL" ] || ask_for_no_pins
real=$(type_of_day 0 sd) complex=$(type_of_day 1 cz)
others="@([$real$complex]*blat1|${real}blat[23]|${complex}cblat[23])"
[ -z "$NETLIB_FULL" ] || others='*blat[123]'
sampled NETLIB_FULL=1
check_hosts preload lp64 "" "$others"
check_hosts preload ilp64 "$others" "$others"
echo "1..$number"

#!/bin/bash
# The Netlib BLAS testers, over every kind of host BLAS, by preload.
# Whole on the reference BLAS in check_blas.sh; of its 64-bit one two types; on others level 1, which has every way
# to return a number, and of levels 2 and 3 one type each by Fortran and by C, or with NETLIB_FULL=1 whole, too.
. "$top_srcdir/tests/netlib/check.sh"
[ -n "$NETLIB_FULL" ] || ask_for_no_pins
others='@(*blat1|dblat[23]|ccblat[23])'
[ -z "$NETLIB_FULL" ] || others='*blat[123]'
check_hosts preload lp64 "" "$others"
reference='@(*blat1|[dc]*blat[23])'
[ -z "$NETLIB_FULL" ] || reference='*blat[123]'
check_hosts preload ilp64 "$reference" "$others"
echo "1..$number"

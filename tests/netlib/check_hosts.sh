#!/bin/bash
# The Netlib BLAS testers, over every kind of host BLAS, by preload.
# Whole on the reference BLAS (with 32-bit integers in check_blas.sh); on others level 1, which has every way
# to return a number, and of levels 2 and 3 one type each by Fortran and by C, or with NETLIB_FULL=1 whole, too.
. "$top_srcdir/tests/netlib/check.sh"
[ -n "$NETLIB_FULL" ] || ask_for_no_pins
others='@(*blat1|dblat[23]|ccblat[23])'
[ -z "$NETLIB_FULL" ] || others='*blat[123]'
check_hosts preload lp64 "" "$others"
check_hosts preload ilp64 '*blat[123]' "$others"
echo "1..$number"

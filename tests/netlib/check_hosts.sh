#!/bin/bash
# The Netlib BLAS testers, over every kind of host BLAS, by preload.
# Whole on the reference BLAS; on others with fewer sizes, or with NETLIB_FULL=1 whole, too.
. "$top_srcdir/tests/netlib/check.sh"
[ -n "$NETLIB_FULL" ] || ask_for_no_pins
check_hosts preload lp64 '*blat[123]'
check_hosts preload ilp64 '*blat[123]'
echo "1..$number"

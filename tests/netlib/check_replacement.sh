#!/bin/bash
# The Netlib BLAS testers, with libmublas.so as libblas.so.3 or libblas64.so.3.
# Whole on the reference BLAS; on others with fewer sizes, or with NETLIB_FULL=1 whole, too.
. "$top_srcdir/tests/netlib/check.sh"
[ -n "$NETLIB_FULL" ] || ask_for_no_pins
check_hosts replacement lp64 '*blat[123]'
check_hosts replacement ilp64 '*blat[123]'
echo "1..$number"

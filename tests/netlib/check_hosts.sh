#!/bin/bash
# The Netlib BLAS testers, whole, over every kind of host BLAS, by preload.
. "$top_srcdir/tests/netlib/check.sh"
check_hosts preload lp64 '*blat[123]'
check_hosts preload ilp64 '*blat[123]'
echo "1..$number"

#!/bin/bash
# The Netlib BLAS testers, whole, with libmublas.so as libblas.so.3 or libblas64.so.3.
. "$top_srcdir/tests/netlib/check.sh"
check_hosts replacement lp64 '*blat[123]'
check_hosts replacement ilp64 '*blat[123]'
echo "1..$number"

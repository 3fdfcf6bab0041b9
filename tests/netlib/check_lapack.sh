#!/bin/bash
# LAPACK's testers of eigenvalues and linear equations, with thin inputs, four types.
. "$top_srcdir/tests/netlib/check.sh"
[ -n "$NETLIB_FULL" ] || ask_for_no_pins
check '!(*blat[123])'

#!/bin/bash
# LAPACK's testers of eigenvalues and linear equations, with thin inputs, four types.
. "$top_srcdir/tests/netlib/check.sh"
check '!(*blat[123])'

#!/bin/bash
# The Netlib BLAS testers, whole: BLAS and CBLAS, levels 1 to 3, four types.
. "$top_srcdir/tests/netlib/check.sh"
check '*blat[123]'

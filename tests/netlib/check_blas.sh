#!/bin/bash
# The Netlib BLAS testers, whole: BLAS and CBLAS, levels 1 to 3, of a real and a complex type, others every day, or
# with NETLIB_FULL=1 of four.
. "$top_srcdir/tests/netlib/check.sh"
types=$(type_of_day 0 sd)$(type_of_day 1 cz)
[ -z "$NETLIB_FULL" ] || types=sdcz
sampled NETLIB_FULL=1
check "[$types]?(c)blat[123]"

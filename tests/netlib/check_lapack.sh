#!/bin/bash
# LAPACK's testers of eigenvalues and linear equations, with thin inputs: of each type a half, for types differ by
# their precision, or with NETLIB_FULL=1 whole.
. "$top_srcdir/tests/netlib/check.sh"
[ -n "$NETLIB_FULL" ] || ask_for_no_pins
halves='|[sz]@(se2|sg|gsv|lse|nep|gd|bb|test)|[cd]@(sep|svd|gqr|glm|csd|ed|sb|gg|rfp|stest)'
[ -z "$NETLIB_FULL" ] || halves=
check "!(*blat[123]$halves)"

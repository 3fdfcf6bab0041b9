#!/bin/bash
# LAPACK's testers of eigenvalues and linear equations, with thin inputs, four types.
. "$top_srcdir/tests/netlib/check.sh"
[ -n "$NETLIB_FULL" ] || ask_for_no_pins
# Sanitizers' runtimes keep the emulated cuSOLVER's LAPACK from having an ilaenv_ of its own beside the testers', which
# answers these before it was told what.
left_out='*blat[123]'
[ -z "$sanitizers" ] || left_out+='|*nep|*glm'
check "!($left_out)"

#!/bin/bash
# The Netlib BLAS testers, with libmublas.so as libblas.so.3 or libblas64.so.3, over every other kind of host BLAS:
# types that check_hosts.sh does not have this day, or with NETLIB_FULL=1 whole.
. "$top_srcdir/tests/netlib/check.sh"
only_on_day NETLIB_FULL 1
[ -n "$NETLIB_FULL" ] || ask_for_no_pins
real=$(type_of_day 1 sd) complex=$(type_of_day 0 cz)
chosen="@([$real$complex]*blat1|${complex}blat2|${real}cblat3)"
sampled NETLIB_FULL=1
[ -z "$NETLIB_FULL" ] || chosen='*blat[123]'
check_hosts replacement lp64 "$chosen" "$chosen"
check_hosts replacement ilp64 "$chosen" "$chosen"
echo "1..$number"

#!/bin/bash
# A tiny call's price for the shim: instructions over the host BLAS, counted by callgrind.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
[ -z "$sanitizers" ] || { echo "1..0 # SKIP sanitizers add instructions of their own"; exit 0; }
command -v valgrind > /dev/null || { echo "1..0 # SKIP valgrind is not installed: instructions are not counted"; exit 0; }
use_emulated_system

# Instructions of the counted part of COMMAND (tiny_part.h); lazy binding would blur the difference.
instructions() # PRELOAD COMMAND...
{
    local preload=$1
    shift
    LD_BIND_NOW=1 LD_PRELOAD=$preload valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        --toggle-collect=counted_part "$@" $((counted * 11 / 10)) 2>&1 |
        awk '/Collected *:/ { print $NF }'
}
counted=2500
# compare TITLE LIMIT HOST COMMAND...: a call costs at most LIMIT instructions more. $symbols: how many
# exported symbols one call goes through, at most LIMIT for each.
symbols=1
compare()
{
    local title=$1 limit=$2 host_preload=$3
    shift 3
    local host
    host=$(instructions "$host_preload" "$@")
    local with=$shim_preload${host_preload:+:$host_preload}
    local shim_pays
    shim_pays=$(instructions "$with" "$@")
    local extra=$(((shim_pays - host + counted / 2) / counted))
    local of=
    [ $symbols = 1 ] || of=" for $symbols symbols"
    # A stub is at least one instruction: less means that the shim was not there.
    [ "$host" -ge $counted ] && [ "$extra" -ge $symbols ] && [ "$extra" -le $((symbols * limit)) ]
    result $? "$title: $extra instructions$of more than the host's $((host / counted))"
}
forwarded=2 offloadable=12
compare ddot $forwarded "" tests/system/tiny ddot
for routine in daxpy dgemv dsymv dtrmv dsyr2k; do
    compare $routine $offloadable "" tests/system/tiny $routine
done
# Every other name. The C interfaces below end in the reference's, which calls its Fortran routine by the exported name:
# two symbols.
modules=$build/tests/system/.libs
export NARROW_BLAS=$host_blas
hosts=$modules/wide_named.so:$host_blas
# Their stubs are made by the same lines for either routine: one of the two a day, or both by INSTRUCTIONS_FULL=1.
sampled INSTRUCTIONS_FULL=1
names=0
each_routine() # NAME
{
    names=$((names + 1))
    [ -z "$INSTRUCTIONS_FULL" ] && in_sample 2 $names ||
        compare ${1/NAME/dger} $forwarded "$hosts" tests/system/tiny_call "$modules/tiny_names.so" ${1/NAME/dger}
    [ -z "$INSTRUCTIONS_FULL" ] && ! in_sample 2 $names ||
        compare ${1/NAME/dgemv} $offloadable "$hosts" tests/system/tiny_call "$modules/tiny_names.so" ${1/NAME/dgemv}
}
for name in NAME_64_ scipy_NAME_ scipy_NAME_64_; do each_routine $name; done
symbols=2
for name in cblas_NAME cblas_NAME64_ cblas_NAME_64 scipy_cblas_NAME scipy_cblas_NAME64_; do each_routine $name; done
symbols=1
# A BLAS that only plug-ins bring along: found by the return address at each call. Compiled for
# processors that check where calls go, the stub begins with one more instruction.
! echo | $compiler -dM -E - | grep -q __CET__ || offloadable=13
plug_in=$modules/tiny_names_linked.so
for other in first second; do cp "$plug_in" "$work/$other.so"; done
for before in "" first "first second"; do
    [ -z "$before" ] || on_turn INSTRUCTIONS_FULL || continue
    set -- $before
    libraries=("${@/%/.so}")
    libraries=("${libraries[@]/#/$work/}" "$plug_in")
    title="of plug-in number ${#libraries[@]} that calls it"
    compare "dger_ $title" 7 "" tests/system/tiny_call "${libraries[@]}" dger_
    compare "dgemv_ $title" $offloadable "" tests/system/tiny_call "${libraries[@]}" dgemv_
done
symbols=2
compare "cblas_dgemv of a plug-in" $offloadable "" tests/system/tiny_call "$plug_in" cblas_dgemv
echo "1..$number"

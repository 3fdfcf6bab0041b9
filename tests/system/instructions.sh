#!/bin/bash
# What a tiny call pays for the shim: instructions over the host BLAS, counted by callgrind.
. tests/environment.sh
number=0
result() # STATUS WHAT
{
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
[ -z "$sanitizers" ] || { echo "1..0 # SKIP sanitizers add instructions of their own"; exit 0; }
command -v valgrind > /dev/null || { echo "1..0 # SKIP valgrind is not installed: instructions are not counted"; exit 0; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset MUBLAS_TEST_SHIM MUBLAS_OFFLOAD MUBLAS_REPORT
use_emulated_driver
use_reference_libraries

# Instructions of `tiny ROUTINE COUNT`; lazy binding would blur the difference.
instructions() # PRELOAD ROUTINE COUNT
{
    LD_BIND_NOW=1 LD_PRELOAD=$1 valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        tests/system/tiny "$2" "$3" 2>&1 | awk '/Collected *:/ { print $NF }'
}
few=1000 many=11000
for routine in ddot daxpy dgemv dsymv dtrmv dsyr2k; do
    host=$(($(instructions "" $routine $many) - $(instructions "" $routine $few)))
    shim_pays=$(($(instructions "$shim_preload" $routine $many) - $(instructions "$shim_preload" $routine $few)))
    extra=$(((shim_pays - host + (many - few) / 2) / (many - few)))
    # A stub is at least one instruction: less means that the shim was not there.
    [ "$host" -gt 0 ] && [ "$extra" -ge 1 ] && [ "$extra" -le 12 ]
    result $? "$routine: $extra instructions more than the host's $((host / (many - few)))"
done
echo "1..$number"

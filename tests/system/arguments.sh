#!/bin/bash
# Illegal arguments, quick returns and overlap: the program's xerbla_ and its operands
# see the same through the shim as with the host BLAS alone.
. tests/environment.sh
number=0
result() # STATUS WHAT
{
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset MUBLAS_TEST_SHIM
use_reference_libraries

for way in return jump; do
    tests/system/arguments $way > "$work/host"
    result $? "xerbla_ that leaves by $way: the host BLAS alone"
    errors=$(awk '/errors reported/ { print $1 }' "$work/host")
    [ "${errors:-0}" -ge 100 ]
    result $? "it found $errors errors"
    for mode in always auto never; do
        ( use_emulated_driver
          LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=$mode MUBLAS_REPORT=$work/report \
              tests/system/arguments $way > "$work/shim" 2> "$work/errors" )
        result $? "through the shim, mode $mode"
        diff "$work/host" "$work/shim" > "$work/difference"
        result $? "mode $mode: the same names, numbers and operands"
        head -q -n 20 "$work/difference" "$work/errors" | sed 's/^/# /'
        calls=$(grep -c '^  digest' "$work/shim")
        [ "$(awk '$1 == "total" { print $2 }' "$work/report")" = "$calls" ]
        result $? "mode $mode: the report has all $calls calls"
        if [ $mode = always ]; then
            [ "$(awk '$1 == "total" { print $3 }' "$work/report")" -gt 100 ]
            result $? "mode $mode: more than 100 calls ran on the device"
        fi
    done
done
echo "1..$number"

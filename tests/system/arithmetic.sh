#!/bin/bash
# Programs that set how they compute. Flush-to-zero keeps no call on the host: results have the bits they have
# without it, and differ from the host's by less than the smallest normal number. Other rounding, and
# exceptions that trap, do: results, flags and environment are the host's. The driver meets the default
# environment only, and neither what it raises nor its errno is seen.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
reason='floating-point traps or rounding mode'

host() { LD_PRELOAD=$sanitizer_preload "$@" > "$work/host" 2> "$work/errors"; }
shim() # COMMAND...
{
    rm -f "$work/report"
    EMULATED_ARITHMETIC=1 LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=always MUBLAS_REPORT=$work/report "$@" > "$work/output" 2> "$work/errors"
    status=$?
    [ $status = 0 ] && [ ! -s "$work/errors" ] && ! grep -q CHANGED "$work/output"
}
calls() { awk -v routine="$1" -v column="$2" '$1 == routine && NF == 9 { print $column + 0; exit }' "$work/report"; }
on_device() { calls total 3; }
on_host() { calls total 4; }
for_that_reason() { awk -v reason="$reason" 'index($0, reason) { sum += $2 } END { print sum + 0 }' "$work/report"; }
lines() { grep -c . "$work/output"; }

# The host's results but for less than the smallest normal number of their precision (sgemv's is single).
near_the_host()
{
    paste -d ' ' "$work/host" "$work/output" | awk '
        { allowed = $1 ~ /^s/ ? 1.1754943508222875e-38 : 2.2250738585072014e-308
          for (i = 4; i <= NF / 2; i++) {
              difference = $i - $(i + NF / 2)
              if (difference < 0) difference = -difference
              if ($i != $(i + NF / 2) && !(difference < allowed)) exit 1
              values++
          } }
        END { exit !(values > 200) }'
}

tests/system/arithmetic default > "$work/host" 2> "$work/errors" && shim tests/system/arithmetic default &&
    mv "$work/output" "$work/default" &&
    [ "$(on_device)" = "$(grep -c . "$work/default")" ]
result $? "the default environment: all calls on the device"
awk '$3 != 0 { exit 1 }' "$work/default"
result $? "which raise nothing"

for way in flush start-up; do
    program=tests/system/arithmetic
    [ $way = flush ] || program=tests/system/fast_math
    if ! host $program $way; then
        skip "$way" "this compiler's -Ofast sets no flush-to-zero"
        continue
    fi
    shim $program $way && [ "$(on_device)" = $(($(lines) - 1)) ] && [ "$(for_that_reason)" = 1 ] &&
        [ "$(calls dgemv 4)" = 1 ]
    result $? "$way: all calls on the device but the one whose beta counts as zero"
    near_the_host
    result $? "$way: results are the host's but for denormals"
    ! diff <(cut -d' ' -f 4- "$work/host") <(cut -d ' ' -f 4- "$work/output") > /dev/null
    result $? "$way: the host's do lack those"
    diff <(grep -v -e -beta "$work/default") <(grep -v -e -beta "$work/output") > "$work/errors"
    result $? "$way: their bits are those without it, and nothing is raised"
    diff <(grep -e -beta "$work/host") <(grep -e -beta "$work/output") > "$work/errors"
    result $? "$way: the other is the host's"
done

for way in upward downward towards-zero invalid overflow underflow inexact; do
    if ! host tests/system/arithmetic $way; then
        skip "$way" "nothing traps on this processor"
        continue
    fi
    shim tests/system/arithmetic $way && diff "$work/host" "$work/output" > "$work/errors" &&
        [ "$(on_device)" = 0 ] && [ "$(for_that_reason)" = "$(lines)" ]
    result $? "$way: all calls on the host, with its results and flags, and the environment is kept"
done
if host tests/system/arithmetic division; then
    shim tests/system/arithmetic division && [ "$(on_host)" = 1 ] && [ "$(calls dtrsm 4)" = 1 ]
    result $? "division by zero traps: all calls on the device but dtrsm, which divides"
else
    skip "division" "nothing traps on this processor"
fi

# A product in tiles that the host finishes: of its first column, 24 elements by the device and 16 by the
# host.
finish_on_the_host()
{
    EMULATED_ARITHMETIC=1 EMULATED_FAULTS=cublasDgemm_v2:37:14 MUBLAS_DEVICE_MEMORY=20K MUBLAS_OFFLOAD=always LD_PRELOAD=$shim_preload \
        tests/system/arithmetic flush > "$work/output" 2> "$work/errors"
    [ $? = 0 ] && grep -q 'the host does the rest' "$work/errors" && ! grep -q CHANGED "$work/output" &&
        awk '$1 == "dgemm-denormal" { for (i = 5; i <= NF; i++) zeros[$i == 0]++ } END { exit !(zeros[0] > 4 && zeros[1] > 4) }' "$work/output"
}
if [ "$MUBLAS_TRACKING" = 0 ]; then
    skip "flush: what the host finishes" "the tiles are others where nothing stays on the device"
else
    finish_on_the_host
    result $? "flush: what the host finishes is done in the program's environment"
fi

# A host that is bound at the first call, and leaves traces when it is opened.
for first in "" forwarded; do
    LD_PRELOAD=$sanitizer_preload tests/system/arithmetic inexact $first > "$work/host" 2> "$work/errors" ||
        continue
    MUBLAS_HOST_BLAS=$build/tests/system/.libs/untidy_host.so MUBLAS_OFFLOAD=auto LD_PRELOAD=$sanitizer_preload \
        tests/system/linked_arithmetic inexact $first > "$work/output" 2> "$work/errors" &&
            diff "$work/host" "$work/output" > "$work/errors"
    result $? "late binding, ${first:-of what may be offloaded}: leaves no traces"
done
echo "1..$number"

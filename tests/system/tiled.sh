#!/bin/bash
# Level 3 on a device too small for the operands: in tiles, every routine with every flag in both
# languages agrees with its definition, and reads and writes nothing else.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
export MUBLAS_OFFLOAD=always ENTRIES_CUT=1

run() # LANGUAGE PREFIX SUFFIX
{
    rm -f "$work/report"
    LD_PRELOAD=$shim_preload MUBLAS_DEVICE_MEMORY=6K MUBLAS_VERBOSE=2 MUBLAS_REPORT=$work/report \
        tests/system/entries "$@" 32 > "$work/output" 2> "$work/errors" &&
        grep -q '^1\.\.30$' "$work/output" && ! grep '^not ok' "$work/output"
}

tiled() # TITLE LANGUAGE PREFIX SUFFIX
{
    local title=$1
    shift
    run "$@"
    result $? "$title: results"
    awk -v pattern="^$2[sdcz](gemm|symm|hemm|syrk|herk|syr2k|her2k|trmm|trsm)\$" '
        $1 ~ pattern && NF == 9 { rows++; calls += $2; device += $3 }
        END { print rows + 0, calls + 0, device + 0; exit !(rows == 30 && device == calls) }' "$work/report" > "$work/counts"
    result $? "$title: all calls ran on the device ($(cat "$work/counts"))"
    # 35 by 29 in tiles of 24 by 24 at the most
    sed -n 's/.* a level 3 call of [0-9]* x \(29\|35\) runs in tiles of \([0-9]*\) x \([0-9]*\)$/\2 \3/p' "$work/errors" |
        awk '$1 <= 24 && $2 <= 24 { cut++ } END { print NR, cut + 0; exit !(NR > 200 && cut == NR) }' > "$work/counts"
    result $? "$title: the large ones were cut ($(cat "$work/counts"))"
}

tiled "Fortran" fortran "" _
tiled "C" cblas cblas_ ""

# Products that fail at random, most of them after tiles have come back: the host does the rest.
faults=
for type in S D C Z; do
    for number_of_call in 13 77 140 211 301 402 555; do
        faults+="${faults:+,}cublas${type}gemm_v2:$number_of_call:14"
    done
done
EMULATED_FAULTS=$faults run cblas cblas_ ""
result $? "products that fail: results"
count=$(grep -c 'the device failed in the middle of a large level 3 call; the host does the rest' "$work/errors")
[ "$count" -gt 15 ]
result $? "products that fail: the host finishes what tiles have begun ($count times)"
EMULATED_FAULTS=COPY_BACK:2,COPY_BACK:20,COPY_BACK:99,COPY_BACK:100,COPY_BACK:400 run fortran "" _
result $? "copies back that fail: results"
EMULATED_FAULTS=cuMemAlloc_v2:4:2,cuMemAlloc_v2:5:2,cuMemAlloc_v2:9:2 run fortran "" _
result $? "allocations that fail: results"
EMULATED_FAULTS=cuStreamSynchronize:700:719:sticky run fortran "" _
result $? "a device that is lost: results"
LD_PRELOAD=$shim_preload MUBLAS_DEVICE_MEMORY=60K MUBLAS_VERBOSE=2 MUBLAS_REPORT=$work/report tests/system/tiled_long > "$work/output" \
    2> "$work/errors" && awk '$1 == "dgemm" { exit !($3 == 1 && $5 > 30) }' "$work/report"
result $? "blocks that wait for the products before them: $(head -n 1 "$work/output")"
grep -q '^ok 2 - factors that begin at one address' "$work/output" &&
    awk '$1 == "dsyr2k" { exit !($3 == 1) }' "$work/report" && grep -q 'in tiles' "$work/errors"
result $? "factors that begin at one address with other leading dimensions"
echo "1..$number"

#!/bin/bash
# Two versions of the shim in turns: what calls take whose matrices stay on the device, and those of orders below it.
#   bench/versions.sh OLD NEW PROGRAM [ROUNDS]
# OLD and NEW: libmublas_shim.so of each. PROGRAM: bench/service of a build (make bench/service), over the host BLAS that
# it finds; no service may run. A round runs each case once by either version, the first of them by turns; 5 rounds
# unless ROUNDS says other.
# Prints routine,order,old_us,new_us,new_over_old: medians of the rounds, each the median of its calls.
set -u -o pipefail
[ $# -ge 3 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
old=$1 new=$2 program=$3 rounds=${4:-5}
for file in "$old" "$new" "$program"; do
    [ -e "$file" ] || { echo "versions.sh: there is no $file" >&2; exit 2; }
done
# The loader looks elsewhere for a mere name.
old=$(realpath "$old") new=$(realpath "$new") program=$(realpath "$program")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

one() # NAME SHIM OFFLOAD ROUTINE ORDER COUNT
{
    LD_PRELOAD=$2 MUBLAS_OFFLOAD=$3 "$program" again "${@:4}" >> "$work/$1.$4.$5" || exit 1
}
median() { sort -g "$1" | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

echo routine,order,old_us,new_us,new_over_old
while read -r offload routine order count; do
    for ((round = 0; round < rounds; round++)); do
        if [ $((round % 2)) = 0 ]; then
            one old "$old" "$offload" "$routine" "$order" "$count"
            one new "$new" "$offload" "$routine" "$order" "$count"
        else
            one new "$new" "$offload" "$routine" "$order" "$count"
            one old "$old" "$offload" "$routine" "$order" "$count"
        fi
    done
    before=$(median "$work/old.$routine.$order") after=$(median "$work/new.$routine.$order")
    awk -v routine="$routine" -v order="$order" -v before="$before" -v after="$after" \
        'BEGIN { printf "%s,%d,%s,%s,%.3f\n", routine, order, before, after, after / before }'
done << 'END'
always dsymv 1024 2000
always dsymv 4096 1000
always dsymv 16384 200
always dgemv 1024 2000
always dgemv 4096 1000
always dgemv 16384 200
always strmv 1024 2000
always strmv 4096 1000
always strmv 16384 200
always dgemm 300 2000
always dsyevd 300 50
always dsyevd 1024 20
always dsyevd 4096 5
always dsyevd 8192 3
auto dgemv 20 100000
auto dgemm 16 100000
END

#!/bin/bash
# The shim exports the table's symbols and its own names; the table is all of reference BLAS.
. tests/environment.sh
number=0
result() # STATUS WHAT
{
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
exports() { nm -D --defined-only "$1" | sed 's/@.*//' | awk '{ print $3 }' | sort -u; }
complain() { sed 's/^/# /'; }

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
sed -nE 's/^(FORWARDED|OFFLOADED)\(([a-z0-9]+)[,)].*/\2_/p' "$source_tree/src/interpose/routines.def" > "$work/rows"
sort -u "$work/rows" > "$work/table"
[ "$(wc -l < "$work/rows")" = "$(wc -l < "$work/table")" ] && [ "$(wc -l < "$work/table")" -gt 140 ]
result $? "the table names $(wc -l < "$work/table") routines, each once"

exports "$shim" > "$work/exports"
grep -v '^mublas' "$work/exports" | diff "$work/table" - > "$work/difference"
result $? "the shim exports exactly these, besides names that start with mublas"
complain < "$work/difference"
grep -qx mublas_interposes_blas "$work/exports"
result $? "the shim carries its marker"
! grep -E '^(xerbla|xerbla_array|lsame)_$' "$work/exports"
result $? "it leaves xerbla_ and lsame_ to the program"

case $host_blas in
*/blas/libblas.so.3)
    # What the library has for its own use: CBLAS's result-by-pointer wrappers and helpers.
    exports "$host_blas" | grep '_$' | grep -vE 'sub_$|^(xerbla|xerbla_array|lsame)_$' |
        diff - "$work/table" > "$work/difference"
    result $? "the table is the reference BLAS's levels 1 to 3"
    complain < "$work/difference" ;;
*)
    number=$((number + 1))
    echo "ok $number - the table is the reference BLAS's # SKIP $host_blas is another BLAS" ;;
esac
echo "1..$number"

#!/bin/bash
# The shim exports the tables' symbols, its own names and some of the C library's (src/interpose/system_calls.c);
# the table is all of reference BLAS.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/hosts/hosts.sh"
exports() { nm -D --defined-only "$1" | sed 's/@.*//' | awk '{ print $3 }' | sort -u; }
complain() { sed 's/^/# /'; }

rows() # FILE
{
    sed -nE 's/^(FORWARDED|RARE|OFFLOADED|ROUTE)\(([a-z0-9_]+)[,)].*/\2/p' "$1"
}
rows "$source_tree/src/host/routines.def" > "$work/fortran"
rows "$source_tree/src/host/cblas.def" > "$work/cblas"
rows src/host/lapack.def > "$work/lapack"
{
    cat "$work/fortran" "$work/lapack" | sed -E 's/.*/&_\n&_64_\nscipy_&_\nscipy_&_64_/'
    sed -E 's/.*/cblas_&\ncblas_&64_\ncblas_&_64\nscipy_cblas_&\nscipy_cblas_&64_/' "$work/cblas"
} > "$work/rows"
sort -u "$work/rows" > "$work/table"
[ "$(wc -l < "$work/rows")" = "$(wc -l < "$work/table")" ] && [ "$(wc -l < "$work/table")" -gt 1300 ]
result $? "$(wc -l < "$work/fortran") Fortran and $(wc -l < "$work/cblas") C routines of BLAS and $(wc -l < "$work/lapack") of LAPACK make $(wc -l < "$work/table") symbols, each once"

c_library="ioctl mremap prctl longjmp _longjmp siglongjmp __longjmp_chk"
# Parallel routines, by their types, and what mublas sees of the BLACS.
sed -nE 's/^PARALLEL\(([SDCZ]+), ([a-z0-9]+),.*/\1 \2/p' "$source_tree/src/scalapack/routines.def" |
    while read -r types name; do
        for ((i = 0; i < ${#types}; i++)); do type=${types:i:1}; echo "p${type,}${name}_"; done
    done > "$work/parallel"
[ "$(wc -l < "$work/parallel")" = 76 ]
result $? "$(wc -l < "$work/parallel") parallel routines"
for name in gridinit gridmap gridexit exit; do printf 'blacs_%s_\nCblacs_%s\n' $name $name; done >> "$work/parallel"

exports "$shim" > "$work/exports"
{ cat "$work/table" "$work/parallel"; printf '%s\n' $c_library; } | sort > "$work/names"
grep -viE '^mublas' "$work/exports" | diff "$work/names" - > "$work/difference"
result $? "the shim exports exactly these, $c_library, besides names that start with mublas"
complain < "$work/difference"
exports "${shim%_shim.so}.so" | grep -vE '^mublas|xerbla|^lsame_|RowMajorStrg|CBLAS_CallFromC' |
    diff "$work/names" - > "$work/difference"
result $? "and libmublas.so, besides what makes it a libblas.so.3"
complain < "$work/difference"
sed -E 's/.*/&_\n&_64_\nscipy_&_\nscipy_&_64_/' "$work/lapack" > "$work/routes"
for bits in "" 64; do
    exports "$build/src/interpose/.libs/libblas$bits.so.3" |
        grep -vE '^mublas|xerbla|^lsame_|RowMajorStrg|CBLAS_CallFromC' |
        sort - "$work/routes" "$work/parallel" | diff "$work/names" - > "$work/difference"
    result $? "and libblas$bits.so.3, without LAPACK and parallel routines"
    complain < "$work/difference"
    { sed 's/$/_/' "$work/lapack"; echo mublas_passes_lapack_to; } | sort > "$work/plain"
    exports "$build/src/interpose/lapack/liblapack$bits.so.3" | diff "$work/plain" - > "$work/difference"
    result $? "liblapack$bits.so.3 exports LAPACK's plain names alone, and its marker"
    complain < "$work/difference"
done
grep -qx mublas_interposes_blas "$work/exports"
result $? "the shim carries its marker"
! grep -E '^(xerbla|xerbla_array|lsame)_$' "$work/exports"
result $? "it leaves xerbla_ and lsame_ to the program"

# Every BLAS library has these: the handlers of errors are the program's.
uncovered() { grep -vE '^(cblas_xerbla|xerbla_|xerbla_array_|lsame_)$' | LC_ALL=C sort |
    LC_ALL=C comm -23 - "$work/sorted"; }
LC_ALL=C sort "$work/table" > "$work/sorted"
common=$work/kept
tr -s ' ' '\n' < "$source_tree/tests/system/common_symbols.txt" > "$common"
uncovered < "$common" > "$work/difference"
[ ! -s "$work/difference" ] && [ "$(wc -l < "$common")" -gt 280 ]
result $? "the table has all $(wc -l < "$common") names that reference BLAS, OpenBLAS and BLIS have in common"
complain < "$work/difference"
if libraries=$(for name in reference openblas-pthread blis-pthread; do host_library $name || exit; done); then
    bash "$source_tree/tests/system/common_symbols.sh" $libraries | tr -s ' ' '\n' > "$work/common"
    diff "$common" "$work/common" > "$work/difference"
    result $? "and these are what the three libraries have"
    complain < "$work/difference"
else
    skip "and these are what the three libraries have" "not all are here; $how_to_fetch"
fi

# Names that the host may lack are there for references, not for who asks.
LD_PRELOAD=$shim_preload tests/system/probe dgemm_ cblas_dgemm dgemm_64_ scipy_dgemm_ cblas_dgemm_64 cblas_csrot \
    scipy_cblas_dgemm64_ openblas_get_config | tr '\n' ';' > "$work/probed"
grep -qx 'a reference to dgemm_64_ found;dgemm_ found;cblas_dgemm found;dgemm_64_ not;scipy_dgemm_ not;cblas_dgemm_64 not;cblas_csrot not;scipy_cblas_dgemm64_ not;openblas_get_config not;' "$work/probed"
result $? "the shim answers dlsym for plain names only, and references to all"
{ cat "$work/probed"; echo; } | complain

case $host_blas in
*/blas/libblas.so.3)
    # Names for the library's own use are left out: CBLAS's result-by-pointer wrappers and helpers.
    exports "$host_blas" | grep -E '_$|^cblas_' | grep -vE '[^_]sub_$|xerbla|^lsame_$' > "$work/host"
    grep -E '^(cblas_[a-z0-9_]*[a-z0-9]|[a-z0-9]+_)$' "$work/table" |
        grep -vxFf <(sed 's/$/_/' "$work/lapack") | grep -vE '^cblas_.*_64$' |
        diff "$work/host" - > "$work/difference"
    result $? "the table is the reference BLAS's levels 1 to 3 and its CBLAS"
    complain < "$work/difference" ;;
*)
    skip "the table is the reference BLAS's" "$host_blas is another BLAS" ;;
esac
echo "1..$number"

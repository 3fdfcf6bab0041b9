#!/bin/bash
# A host BLAS that is Netlib's slow reference is known as such by its symbols, and programs over it have its times
# foretold: without a recipe an estimate then says that a GPU gains, where over OpenBLAS it gains nothing.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
only_on_day REFERENCE_FULL 0
. "$source_tree/tests/hosts/hosts.sh"
unset MUBLAS_TEST_HOSTS MUBLAS_RECIPE
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
program_source=$source_tree/tests/system/seconds.c

# The command's words on a library as the host.
is_slow() # LIBRARY
{
    LD_LIBRARY_PATH=$host_extra_directory MUBLAS_HOST_BLAS=$1 "$build/mublas" info > "$work/output" 2> "$work/errors"
    grep -F "host BLAS for programs that bring none: $1 (set by MUBLAS_HOST_BLAS)" "$work/output" > "$work/line" ||
        { echo "# $1 is no host: $(cat "$work/errors")"; return 2; }
    grep -q ', the slow reference$' "$work/line"
}

# A library with the reference's helpers, and those names; -NAME: without one of them.
planted() # NAME...
{
    local name names=(dgemm_ lsame_ xerbla_ dcabs1_)
    for name; do
        case $name in
        -*) mapfile -t names < <(printf '%s\n' "${names[@]}" | grep -vx -e "${name#-}") ;;
        *) names+=("$name") ;;
        esac
    done
    printf 'void %s(void) {}\n' "${names[@]}" > "$work/planted.c"
    $compiler -O0 -fPIC -shared -fno-builtin -o "$work/planted.so" "$work/planted.c"
}
planted && is_slow "$work/planted.so" && planted daxpby_ dgemmtr_ && is_slow "$work/planted.so"
result $? "a library with the reference's helpers is the slow reference, with what its later versions have, too"
wrong=
for names in openblas_get_config mkl_get_version MKL_Get_Version bli_info_get_version_str ATL_buildinfo \
    atl_f77wrap_dgemm_ flexiblas_get_version lbt_forward armplversion nvpl_blas_get_version zgemm3m_ \
    dgemm_batch_ dgetrf_ -lsame_ -xerbla_ -dcabs1_; do
    planted "$names"
    is_slow "$work/planted.so"
    [ $? = 1 ] || wrong+=" $names"
done
[ -z "$wrong" ]
result $? "one with a name that optimised libraries have, or without a helper, is none$wrong"
seen=
for name in $(host_names lp64); do
    library=$(host_library "$name") || continue
    is_slow "$library"
    status=$?
    seen+=" $name"
    [ $status = $([[ $name == reference ]] && echo 0 || echo 1) ] || wrong+=" $library"
done
[ -z "$wrong" ]
result $? "real libraries:$seen$wrong"

# A second and more of products and eigenproblems.
if [ -n "$sanitizers" ] || ! $compiler -O1 -o "$work/seconds" "$program_source" "$host_lapack_directory/liblapack.so.3" \
    "$host_blas" 2> "$work/errors"; then
    echo "1..$number"
    exit 0
fi
estimate() # FOLDERS
{
    LD_LIBRARY_PATH=$1 "$build/mublas" run --estimate -- "$work/seconds" > "$work/output" 2> "$work/errors"
}
row_of() { awk -v name="$1" '$1 == name && NF >= 8 { print $2, $3, $8; exit }' "$work/errors"; } # calls, on the GPU, factor
estimate "$host_lapack_directory:$host_blas_directory"
read -r calls on_gpu factor <<< "$(row_of dgemm)"
awk -v calls="$calls" -v gpu="$on_gpu" -v factor="$factor" 'BEGIN { exit !(calls == 6 && gpu >= 3 && factor > 1.5) }'
result $? "over the reference $on_gpu of $calls dgemm would run on the GPU, all of them $factor times as fast"
read -r calls on_gpu factor <<< "$(row_of dsyevd)"
awk -v calls="$calls" -v gpu="$on_gpu" -v factor="$factor" 'BEGIN { exit !(gpu == 1 && factor > 2) }'
result $? "so would $on_gpu of $calls dsyevd, $factor times as fast"
grep -q "^  host BLAS   .*libblas.* Netlib's slow reference$" "$work/errors" &&
    grep -q "^  - the host's BLAS is the slow reference: OpenBLAS" "$work/errors"
result $? "the estimate says what that host is"
folders=$(host_directories openblas-serial) || folders=$(host_directories openblas-pthread)
if [ -n "$folders" ]; then
    estimate "$folders"
    [ "$(row_of dgemm | cut -d' ' -f2)" = 0 ] && [ "$(row_of dsyevd | cut -d' ' -f2)" = 0 ] &&
        grep -q '^  first calls: nothing' "$work/errors" && ! grep -q 'slow reference' "$work/errors"
    result $? "over OpenBLAS nothing of it would: $(row_of dgemm)"
fi
echo "1..$number"

#!/bin/bash
# libmublas.so behind libblastrampoline, as Julia's BLAS.lbt_forward puts it there: by the steps that library
# takes, and by the library itself where it is installed.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
library=$build/.libs/libmublas.so

# forwarded HOST SUFFIX blas|lapack [TRAMPOLINE]
forwarded()
{
    rm -f "$work/report"
    ( use_emulated_system
      LD_PRELOAD=$sanitizer_preload MUBLAS_HOST_BLAS=$1 MUBLAS_OFFLOAD=always MUBLAS_REPORT=$work/report \
          timeout 60 tests/system/trampoline "$library" "${@:2}" ) > "$work/output" 2> "$work/errors"
}
# And the host is no library that would give the calls back.
on_device()
{
    awk -v name="$1" '$1 == name { found = $3 > 0 } END { exit !found }' "$work/report" &&
        ! grep -q '^  host .*trampoline' "$work/report"
}
# The host for 64 bits here is a BLAS alone, of few routines; a library's own OpenBLAS has those that it asks.
wide_host=$build/tests/system/.libs/wide_plain.so
all() # WHAT [TRAMPOLINE]
{
    forwarded "$host_blas" "" blas "${@:2}" && on_device dgemm
    result $? "$1: a product by its plain name, with 32-bit integers"
    if [ -n "$host_lapack_directory" ]; then
        forwarded "$host_blas" "" lapack "${@:2}" && on_device dsyevd
        result $? "$1: eigenvalues"
    fi
    NARROW_BLAS=$host_blas forwarded "$wide_host" 64_ blas "${@:2}" &&
        on_device dgemm_64_
    result $? "$1: a product by a name that ends in 64_, with 64-bit integers, as Julia has them"
}
all "by the steps of libblastrampoline"
if [ -n "$sanitizers" ]; then
    skip "by a library of such names" "sanitizers refuse RTLD_DEEPBIND"
elif $compiler -shared -fPIC -o "$work/libblastrampoline.so" "$source_tree/tests/system/fake_trampoline.c"; then
    all "by a library of such names" "$work/libblastrampoline.so"
fi
trampoline=$(ldconfig -p 2> /dev/null | awk '$1 ~ /^libblastrampoline\.so/ { print $NF; exit }')
trampoline=${LIBBLASTRAMPOLINE:-$trampoline}
if [ -n "$trampoline" ]; then
    [ ! -e "${trampoline%/*}/libopenblas64_.so" ] || wide_host=${trampoline%/*}/libopenblas64_.so
    all "by $trampoline" "$trampoline"
else
    skip "by libblastrampoline itself" "not installed (LIBBLASTRAMPOLINE names its file)"
fi
echo "1..$number"

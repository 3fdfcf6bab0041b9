#!/bin/bash
# Several BLAS libraries in one process by the same names, each brought along by another
# plug-in: callers get their own, whatever its integers are.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/hosts/hosts.sh"
use_emulated_system
export NARROW_BLAS=$host_blas
modules=$build/tests/system/.libs

# several WIDE SECOND PLUGIN...: the libraries behind caller64 and caller32b (another name for
# a BLAS with 32-bit integers, so another library).
several()
{
    rm -rf "$work/libraries" "$work/report"
    mkdir "$work/libraries"
    ln -s "$1" "$work/libraries/wide_plain.so"
    [ -z "$2" ] || cp "$2" "$work/libraries/second_blas.so"
    shift 2
    set -- "${@/#caller/$modules/caller}"
    LD_LIBRARY_PATH=$work/libraries:$LD_LIBRARY_PATH:$extra LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=$mode \
        MUBLAS_REPORT=$work/report tests/system/several "$@" > "$work/output" 2> "$work/errors"
}
# on_device ROW...: all calls of these ran there.
on_device()
{
    local row
    for row; do
        awk -v row="$row" '$1 == row && NF == 9 { found = 1; exit !($2 > 0 && $3 == $2) } END { if (!found) exit 1 }' \
            "$work/report" || return 1
    done
}
quiet() { [ ! -s "$work/errors" ]; }
warned() { [ "$(grep -c '^mublas: ' "$work/errors")" = 1 ] &&
    grep -q 'may differ in the width of their integers' "$work/errors"; }

wide=$modules/wide_plain.so extra= mode=always
several "$wide" "" caller32.so && quiet && on_device daxpy dsymv cblas_dgemv
result $? "one library with 32-bit integers: on the device"
# Calls of the host's C interface to its own Fortran one are not the program's doing.
rows() { awk 'NF == 9 && $2 ~ /^[0-9]+$/ { print $1, $2 }' "$work/report" | tr '\n' ' '; }
for mode in never always; do
    several "$wide" "" caller32.so && quiet &&
        [ "$(rows)" = "daxpy 202 dsymv 202 dgemm 202 cblas_dgemv 202 total 808 " ]
    result $? "mode $mode: calls are counted once, by the names that the program called"
done
several "$wide" "" caller64.so && quiet && on_device daxpy dsymv cblas_dgemv
result $? "one library with 64-bit integers by plain names: found out, and on the device"
for order in "caller32.so caller64.so" "caller64.so caller32.so" "caller64.so caller32.so caller32b.so"; do
    several "$wide" "$host_blas" $order && warned
    result $? "$order: each is served by its own, and one line says why nothing is offloaded any more"
done
several "$wide" "$host_blas" caller32.so caller32b.so && quiet && on_device daxpy dsymv cblas_dgemv
result $? "two libraries with 32-bit integers: both callers on the device"
cp "$modules/caller32.so" "$work/again.so"
several "$wide" "" caller32.so "$work/again.so" && quiet
result $? "two callers of one library"

# mublas' own libblas64.so.3 says what plain names mean, also where the shim does its work.
own=$build/src/interpose/.libs/libblas64.so.3
export MUBLAS_HOST_BLAS=$host_blas:$wide
several "$own" "" caller64.so && quiet && on_device daxpy dsymv cblas_dgemv
result $? "mublas' libblas64.so.3 under the shim, brought along: on the device"
several "$own" "" caller32.so caller64.so && warned
result $? "and beside a library with 32-bit integers"
for preload in "" "$shim_preload"; do
    LD_PRELOAD=${preload:-$sanitizer_preload} tests/system/wide_program > "$work/output" 2> "$work/errors" &&
        quiet
    result $? "and in the program's search order${preload:+, under the shim}"
done
unset MUBLAS_HOST_BLAS

# Nobody has dgemv_64_, but a library of 64-bit integers has dgemv_.
entries() # MODE HOST LANGUAGE PREFIX SUFFIX
{
    rm -f "$work/report"
    LD_PRELOAD=$shim_preload MUBLAS_HOST_BLAS=$2 MUBLAS_OFFLOAD=$1 MUBLAS_REPORT=$work/report \
        tests/system/entries "$3" "$4" "$5" 64 > "$work/output" 2> "$work/errors"
}
served_by_wide() { grep -q '^  host BLAS .*/wide_plain.so (set by MUBLAS_HOST_BLAS)' "$work/report"; }
forms=("fortran '' _64_" "cblas cblas_ 64_" "cblas cblas_ _64")
for form in "${forms[@]}"; do
    eval "set -- $form"
    entries always "$wide" "$@" && on_device "${2}dgemv$3"
    result $? "${2}dgemv$3 where the host takes 64-bit integers by plain names only: on the device"
    entries never "$wide" "$@" && served_by_wide
    result $? "and on that host"
    entries never "$host_blas:$wide" "$@" && served_by_wide
    result $? "also where it is the second of MUBLAS_HOST_BLAS, and the first has 32-bit integers"
done

extra=$host_extra_directory
# The hosts are not instrumented.
[ -n "$sanitizers" ] || for name in $(host_names ilp64); do
    if wide=$(host_library "$name"); then
        extra=$(host_directories "$name")
        several "$wide" "" caller64.so && quiet && on_device daxpy dsymv cblas_dgemv
        result $? "$name alone"
        several "$wide" "" caller32.so caller64.so && warned
        result $? "$name beside a library with 32-bit integers"
    else
        result 0 "$name # SKIP it is not here; $how_to_fetch"
    fi
done
echo "1..$number"

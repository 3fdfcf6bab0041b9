#!/bin/bash
# Every offloaded routine by the names of every interface on this machine's GPU: the program of
# tests/system/entries.sh, from the binaries of a build folder, which may have come from another
# machine (`make check TESTS=tests/system/entries.sh` builds them all). Prints one TAP line for
# each interface, and after a failure what the program said.
#
#   run_entries.sh BUILD
#
# HOST_BLAS  a host BLAS with 32-bit integers and C names; by default the system's reference
#            BLAS or OpenBLAS, or libblas.so.3 in BUILD
# DRIVER     a folder with another libcuda.so.1, such as BUILD/tests/emulated_driver/lib
usage() { sed -n 's/^#   run_entries/usage: run_entries/p' "$0" >&2; exit 2; }
[ $# = 1 ] && cd "$1" || usage
build=$PWD
shim=$build/.libs/libmublas_shim.so modules=$build/tests/system/.libs
for file in "$shim" tests/system/entries "$modules"/{interface_table,wide_plain,wide_named}.so; do
    [ -e "$file" ] || { echo "run_entries.sh: there is no $file" >&2; exit 2; }
done
for host in $HOST_BLAS "$build/libblas.so.3" /usr/lib/*/blas/libblas.so.3 /usr/lib/*/libopenblas.so.0; do
    [ ! -e "$host" ] || break
done
[ -e "$host" ] || { echo "run_entries.sh: there is no host BLAS; name one by HOST_BLAS" >&2; exit 2; }
host=$(readlink -f "$host")
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
number=0 failures=0

# entries HOST FAR LANGUAGE PREFIX SUFFIX BITS
entries()
{
    local preload=$1 far=$2 status why= rows
    shift 2
    NARROW_BLAS=$host LD_LIBRARY_PATH=$DRIVER${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} LD_PRELOAD=$shim:$preload \
        MUBLAS_OFFLOAD=always MUBLAS_REPORT=$work/report tests/system/entries "$@" $far \
        > "$work/output" 2> "$work/errors"
    status=$?
    rows=$(awk -v prefix="$2" -v suffix="$3" '
        $1 ~ "^" prefix "[sdcz](axpy|gem[vm]|sym[vm]|hem[vm]|tr[ms]m|trmv|syrk|herk|syr2k|her2k)" (prefix suffix == "_" ? "$" : suffix "$") && NF == 9 {
            rows++; calls += $2; device += $3 }
        END { print rows + 0, "routines,", calls + 0, "calls,", device + 0, "on the device"
              exit !(rows == 46 && calls > 400 && device == calls) }' "$work/report" 2> /dev/null) ||
        why=": not all calls of 46 routines ran on the device"
    [ $status = 0 ] || why=": it ended with status $status"
    ! grep -q '^not ok' "$work/output" || why=": wrong results"
    grep -q '^1\.\.' "$work/output" || why=": it ended early, with status $status"
    number=$((number + 1))
    if [ -z "$why" ]; then
        echo "ok $number - $2NAME$3, $4 bits, ${preload##*/}: $rows"
    else
        echo "not ok $number - $2NAME$3, $4 bits, ${preload##*/}: $rows$why"
        failures=$((failures + 1))
        { grep '^not ok' "$work/output"; tail -n 5 "$work/output"; head -n 5 "$work/errors"
          cat "$work/report" 2> /dev/null; } | sed 's/^/# /' | head -n 60
    fi
    rm -f "$work"/*
}

plain=$modules/wide_plain.so named=$modules/wide_named.so
entries "$host" "" fortran "" _ 32
entries "$host" "" cblas cblas_ "" 32
entries "$plain" far fortran "" _ 64
entries "$plain" far cblas cblas_ "" 64
entries "$named" far fortran "" _64_ 64
entries "$named" far cblas cblas_ 64_ 64
entries "$named" "" cblas cblas_ _64 64
entries "$named" "" fortran scipy_ _ 32
entries "$named" "" fortran scipy_ _64_ 64
entries "$named" "" cblas scipy_cblas_ "" 32
entries "$named" "" cblas scipy_cblas_ 64_ 64
echo "1..$number"
exit $((failures > 0))

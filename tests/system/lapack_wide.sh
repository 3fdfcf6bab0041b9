#!/bin/bash
# Plain names with 64-bit integers: a program that is linked with liblapack64.so.3 and libblas64.so.3, through
# the shim and with mublas' libraries of these names. The hosts are made of those with 32-bit integers, and
# Debian's where they are there.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/hosts/hosts.sh"
use_emulated_system
export WHOLE_LAPACK=$host_lapack_directory/liblapack.so.3 NARROW_BLAS=$host_blas
[ -e "$WHOLE_LAPACK" ] || { echo "1..0 # SKIP there is no $WHOLE_LAPACK"; exit; }
[ -z "$sanitizers" ] || {
    echo "1..0 # SKIP under sanitizers the emulated cuSOLVER's LAPACK gets the program's BLAS, of another width"
    exit
}
all="dsyevd dsyevr dgeev dstev dstedc dpotrf dgemm"

# build FILE SOURCE ARGUMENT...: not instrumented, as other people's
build()
{
    $compiler -O1 -fno-lto -o "$work/$1" "$source_tree/tests/system/$2" "${@:3}" -lm -ldl 2> "$work/errors" ||
        { echo "Bail out! cannot build $1"; cat "$work/errors"; exit 1; }
}
shared() { build "$1" "$2" -shared -fPIC -Wl,-soname,"${1##*/}" "${@:3}"; }

mkdir "$work/made" "$work/debian" "$work/mublas"
shared made/libblas64.so.3 wide_blas.c -D_GNU_SOURCE -DPLAIN_NAMES
shared made/liblapack64.so.3 lapack_part.c -D_GNU_SOURCE -DAPART -DINTEGER=long -DHAS_dsyevd -DHAS_dsyevr \
    -DHAS_dgeev -DHAS_dgebal -DHAS_dstev -DHAS_dstedc -DHAS_dpotrf -DHAS_ilaver
build user lapack_user.c -DINTEGER=long -Wl,--no-as-needed "$work/made/liblapack64.so.3" "$work/made/libblas64.so.3"
ln -s "$build/src/interpose/lapack/liblapack64.so.3" "$build/src/interpose/.libs/libblas64.so.3" "$work/mublas"
ln -s "$build/src/interpose/.libs/libblas64.so.3" "$work/mublas/libblas64-mublas.so.3"

# on FOLDERS PRELOAD MODE: the program with the libraries in these
on()
{
    rm -f "$work"/report*
    LD_LIBRARY_PATH=$1:$LD_LIBRARY_PATH LD_PRELOAD=$2 MUBLAS_OFFLOAD=$3 MUBLAS_REPORT=$work/report "$work/user" $all \
        > "$work/output" 2> "$work/errors" && [ ! -s "$work/errors" ] &&
        [ "$(grep -c 'info 0, right$' "$work/output")" = 7 ]
}
# All but dstev were called once each, on the device; the hosts are those with 64-bit integers, and there is
# one report.
on_device()
{
    [ "$(ls "$work"/report* | wc -l)" = 1 ] && grep -q "^  host LAPACK .*/liblapack64" "$work/report" &&
        awk '$1 ~ /^(dsyevd|dsyevr|dgeev|dstedc|dpotrf|dgemm)$/ && $4 ~ /^[0-9]+$/ { rows++; good += $2 == 1 && $3 == 1 }
            END { exit !(rows == 6 && good == 6) }' "$work/report"
}

is_off() { grep -q 'setting *MUBLAS_OFFLOAD=never' "$work/report" && ! grep -q 'opened in' "$work/report"; }

# all_ways KIND: with the host libraries in that folder
all_ways()
{
    local hosts=$work/$1
    ln -sfn "$hosts/liblapack64.so.3" "$work/mublas/liblapack64-host.so.3"
    on "$hosts" "" never
    result $? "$1: the program is right"
    on "$hosts" "$shim_preload" always && on_device
    result $? "$1: through the shim it is, on the device"
    on "$hosts" "$shim_preload" never && is_off
    result $? "$1: and switched off"
    # Nothing is wanted of the first, whose integers have 32 bits.
    export MUBLAS_HOST_BLAS=$host_blas:$hosts/libblas64.so.3
    on "$work/mublas" "" always && on_device &&
        grep -q "^  host BLAS .*/libblas64.* (set by" "$work/report"
    result $? "$1: with liblapack64.so.3 and libblas64.so.3 of mublas, on the device"
    on "$work/mublas" "$shim_preload" always && on_device
    result $? "$1: the shim before these"
    on "$work/mublas" "" never && is_off
    result $? "$1: and switched off"
    unset MUBLAS_HOST_BLAS
}

all_ways made
if lapack=$(host_library lapack64) && blas=$(host_library reference64); then
    ln -s "$lapack" "$blas" "$work/debian"
    all_ways debian
else
    skip "Debian's" "liblapack64-3 and libblas64-3 are not here; $how_to_fetch"
fi
echo "1..$number"

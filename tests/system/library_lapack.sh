#!/bin/bash
# libmublas.so as the library that a LAPACK program is linked with, in both orders, and liblapack.so.3 of
# mublas: the routes run on the device, all other LAPACK routines are the host's.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_reference_libraries
lapack=$host_lapack_directory/liblapack.so.3
[ -e "$lapack" ] || { echo "1..0 # SKIP there is no $lapack"; exit; }
all="dsyevd dgeev dstev dgemm"

# build PROGRAM ARGUMENT...: not instrumented, as other people's.
build()
{
    $compiler -O1 -fno-lto -o "$work/$1" "$source_tree/tests/system/lapack_user.c" "${@:2}" -lm 2> "$work/errors" ||
        { echo "Bail out! cannot build $1"; cat "$work/errors"; exit 1; }
}
mublas=(-L"$build/.libs" -lmublas)
blas=(-L"$host_blas_directory" -l:libblas.so.3)
build before -Wl,--no-as-needed "${mublas[@]}" "$lapack"
build before_as_needed -Wl,--as-needed "${mublas[@]}" "$lapack"
build behind -Wl,--no-as-needed "$lapack" "${mublas[@]}"
build behind_as_needed -Wl,--as-needed "$lapack" "${mublas[@]}"
build routes -DHAS_dsyevd -Wl,--as-needed "${mublas[@]}" "$lapack"
build blas_alone -DHAS_dgemm -Wl,--as-needed "${mublas[@]}" "$lapack"
build system "$lapack" "${blas[@]}"
build system_blas_first "${blas[@]}" "$lapack"
build plugin.so -shared -fPIC -Dmain=run "$lapack" "${blas[@]}"

# on FOLDERS COMMAND...: on the emulated device, LD_LIBRARY_PATH beginning with these.
on()
{
    local folders=$1
    shift
    rm -f "$work"/report*
    ( use_emulated_driver
      LD_LIBRARY_PATH=$folders${folders:+:}$build/.libs:$LD_LIBRARY_PATH
      LD_PRELOAD=$sanitizer_preload$preloaded MUBLAS_OFFLOAD=always MUBLAS_REPORT=$work/report "$@" > "$work/output" \
          2> "$work/errors" ) && [ ! -s "$work/errors" ]
}
preloaded=
right() { [ "$(grep -c 'right$' "$work/output")" = "$1" ] && ! grep -q wrong "$work/output"; }
# device ROUTINE: its calls that ran there, and its calls at all.
device() { awk -v name="$1" '$1 == name { print $3 "/" $2; found = 1; exit } END { if (!found) print "0/0" }' "$work/report"; }
lapack_is() { grep -q "^  host LAPACK .*/$1.* ($2)" "$work/report"; }

for program in before before_as_needed; do
    on "" "$work/$program" $all && right 4 && [ "$(device dsyevd)" = 1/1 ] && [ "$(device dgemm)" != 0/0 ] &&
        lapack_is liblapack "next in the program's search order"
    result $? "$program: -lmublas -llapack: dsyevd on the device, other LAPACK the host's"
done
for program in behind behind_as_needed; do
    on "" "$work/$program" $all && right 4 && [ "$(device dsyevd)" = 0/0 ] && [ "$(device dsymv)" != 0/0 ] &&
        ! grep -q "host LAPACK" "$work/report"
    result $? "$program: -llapack -lmublas: the program's LAPACK is called itself, BLAS inside it comes to mublas"
done
on "" "$work/routes" dsyevd && right 1 && [ "$(device dsyevd)" = 1/1 ] &&
    lapack_is lib "found under a well-known name"
result $? "a program that nothing of -llapack is left in: the LAPACK by a well-known name behind it"
on "" "$work/blas_alone" dgemm && right 1 && [ "$(device dgemm)" = 1/1 ] &&
    ! grep -q "host LAPACK" "$work/report" &&
    ! readelf -d "$work/blas_alone" | grep -q liblapack
result $? "a program without LAPACK needs none"
preloaded=${sanitizer_preload:+:}$shim
on "" "$work/before" $all && right 4 && [ "$(device dsyevd)" = 1/1 ] &&
    [ "$(ls "$work"/report* | wc -l)" = 1 ]
result $? "the shim before libmublas.so: one of them has the call"
preloaded=

# As the system's libraries. The links' names are what mublas-alternatives makes them.
mkdir "$work/both" "$work/alone" "$work/links"
ln -s "$build/src/interpose/lapack/liblapack.so.3" "$work/both"
ln -s "$build/src/interpose/lapack/liblapack.so.3" "$work/alone"
ln -s "$build/src/interpose/.libs/libblas.so.3" "$work/both"
ln -s "$build/src/interpose/.libs/libblas.so.3" "$work/links/libblas-mublas.so.3"
ln -s "$lapack" "$work/links/liblapack-host.so.3"
for program in system system_blas_first; do
    on "$work/both:$work/links" "$work/$program" $all && right 4 && [ "$(device dsyevd)" = 1/1 ] &&
        [ "$(device dgemm)" != 0/0 ] && lapack_is liblapack "next in the program's search order" &&
        [ "$(ls "$work"/report* | wc -l)" = 1 ]
    result $? "$program: liblapack.so.3 and libblas.so.3 of mublas: one state, dsyevd on the device"
done
on "$work/alone:$work/links" "$work/system_blas_first" $all && right 4 && [ "$(device dsyevd)" = 1/1 ] &&
    ! grep -q "host BLAS" "$work/report"
result $? "liblapack.so.3 alone: the program's BLAS stays what it was"
cat > "$work/opener.c" <<'C'
#include <dlfcn.h>
int main(int count, char **names)
{
    void *plugin = dlopen(names[1], RTLD_LAZY | RTLD_LOCAL);
    return plugin ? ((int (*)(int, char **))dlsym(plugin, "run"))(count - 1, names + 1) : 1;
}
C
$compiler -o "$work/opener" "$work/opener.c" -ldl
on "$work/both:$work/links" "$work/opener" "$work/plugin.so" $all && right 4 &&
    [ "$(device dsyevd)" = 1/1 ] && lapack_is liblapack '.*'
result $? "for a plug-in that brings LAPACK by dlopen"
on "$work/both:$work/links" "$work/before" $all && right 4 && [ "$(device dsyevd)" = 1/1 ] &&
    lapack_is liblapack "next in the program's search order" && [ "$(ls "$work"/report* | wc -l)" = 1 ]
result $? "behind -lmublas: that one has the call, its host is the LAPACK behind both"
on "$work/both:$work/links" "$work/behind" $all && right 4 && [ "$(device dsyevd)" = 1/1 ]
result $? "before -lmublas"
# Under the emulated cuSOLVER, whose LAPACK and BLAS are copies in files of descriptors.
reference_is_bound()
{
    cat "$work"/bindings.* > "$work/bindings" && rm "$work"/bindings.* &&
        grep -q "binding file /proc/self/fd/.* to /proc/thread-self/fd/.*\`dgemm_'" "$work/bindings" &&
        ! grep "binding file /proc/[a-z-]*self/fd/.* to [^ ]*\(mublas\|libblas\|liblapack\)" "$work/bindings"
}
for program in before behind system; do
    MUBLAS_EIGENSOLVER=cusolver on "$work/both:$work/links" env LD_DEBUG=bindings LD_DEBUG_OUTPUT="$work/bindings" \
        timeout 100 "$work/$program" $all && right 4 && [ "$(device dsyevd)" = 1/1 ] && [ "$(device dgeev)" = 1/1 ] &&
        reference_is_bound
    result $? "$program: the emulated cuSOLVER has a LAPACK that is not mublas"
done
preloaded=${sanitizer_preload:+:}$shim
on "$work/both:$work/links" "$work/system" $all && right 4 && [ "$(device dsyevd)" = 1/1 ] &&
    lapack_is liblapack '.*' &&
    [ "$(ls "$work"/report* | wc -l)" = 1 ]
result $? "behind the shim"
preloaded=
( LD_LIBRARY_PATH=$work/both:$work/links:$LD_LIBRARY_PATH LD_PRELOAD=$sanitizer_preload MUBLAS_OFFLOAD=never \
      "$work/system" $all ) > "$work/output" 2> "$work/errors" && right 4
result $? "switched off: everything is the host's"
echo "1..$number"

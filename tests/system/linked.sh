#!/bin/bash
# libmublas.so as the BLAS that a program is linked with, and as the system's libblas.so.3.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
library=$build/.libs/libmublas.so
names=(fortran "" _ 32) # of the programs that are made of arguments.c
mkdir "$work/system"
ln -s "$(readlink -f "$library")" "$work/system/libblas.so.3"

# with WHERE COMMAND...: on the reference LAPACK and BLAS, or with libmublas as libblas.so.3.
with()
{
    local where=$1
    shift
    rm -f "$work/report"
    ( use_emulated_system
      [ "$where" = host ] || LD_LIBRARY_PATH=$work/system:$LD_LIBRARY_PATH
      LD_PRELOAD=$sanitizer_preload MUBLAS_HOST_BLAS=$host_blas MUBLAS_OFFLOAD=always MUBLAS_REPORT=$work/report \
          "$@" > "$work/output" 2> "$work/errors" )
}
on_device() { [ "$(awk '$1 == "total" { print $3 }' "$work/report")" -ge "$1" ]; }
bound_to() { grep -q "^  host BLAS .*/$1.* ($2)" "$work/report"; }

# A program's own error handler and operands see the same, whichever way.
with host tests/system/system_arguments return "${names[@]}" && mv "$work/output" "$work/host"
result $? "a program on the host BLAS alone"
with host tests/system/linked_arguments return "${names[@]}" &&
    diff "$work/host" "$work/output" > "$work/errors" &&
    on_device 100 && bound_to libblas 'set by MUBLAS_HOST_BLAS'
result $? "the same linked with -lmublas: same results and errors, calls on the device"
with mublas tests/system/system_arguments return "${names[@]}" &&
    diff "$work/host" "$work/output" > "$work/errors" && on_device 100
result $? "the same with libmublas.so as its libblas.so.3"

if [ -x fortran/eigensolver ]; then
    with host fortran/eigensolver 50 && grep -vE 'seconds|time| s$' "$work/output" > "$work/host" &&
        with mublas fortran/eigensolver 50 && on_device 50
    result $? "a LAPACK program with libmublas.so as its libblas.so.3"
fi

for name in dsymv_ dger_ cblas_dger; do
    with host tests/system/wrong $name
    status=$?
    mv "$work/output" "$work/host.output"
    mv "$work/errors" "$work/host.errors"
    with mublas tests/system/wrong $name
    [ $? = $status ] && [ -s "$work/errors" ] && diff "$work/host.output" "$work/output" &&
        diff "$work/host.errors" "$work/errors"
    result $? "$name with a wrong argument and no handler: the host's words, the host's way on (status $status)"
done

# The shim and libmublas.so in one process: one does the work, and says so once.
shim_and() # COMMAND...
{
    ( use_emulated_system
      LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=always MUBLAS_REPORT=1 "$@" > "$work/output" 2> "$work/errors" )
}
# All but what the host BLAS calls itself for the sake of caxpy and zaxpy.
calls() { awk 'NF == 9 && $1 !~ /cabs1$/ { calls = $1 == "total" ? $2 - own : calls } NF == 9 && $1 ~ /cabs1$/ { own += $2 }
               END { print calls }' "$work/errors"; }
one_report() # CALLS
{
    [ "$(grep -c '^mublas report' "$work/errors")" = 1 ] && ! grep '^mublas: ' "$work/errors" &&
        [ "$(calls)" = "$1" ] && grep -q '^  host BLAS .*/libblas' "$work/errors"
}
shim_and tests/system/linked_arguments return "${names[@]}" &&
    one_report "$(grep -c '^  digest' "$work/output")"
result $? "a program linked with -lmublas under the shim: the shim has all calls"
shim_and env MUBLAS_VERBOSE=2 MUBLAS_HOST_BLAS="$host_blas" tests/system/by_handle "$work/system/libblas.so.3" &&
    [ ! -s "$work/errors" ]
result $? "calls to libmublas.so by its handle under the shim: on the host, and no device is woken twice"
with mublas tests/system/by_handle "$work/system/libblas.so.3" && on_device 1
result $? "calls by its handle without the shim"
cp "$library" "$work/second.so"
with mublas env LD_PRELOAD="${sanitizer_preload:+$sanitizer_preload:}$library" tests/system/by_handle "$work/second.so" &&
    [ ! -e "$work/report" ] && [ ! -s "$work/errors" ]
result $? "libmublas.so twice: the one that is not first leaves the device alone"
echo "1..$number"

#!/bin/bash
# What the built library is: links nothing but libc, libm and libdl, is never unloaded.
. tests/environment.sh
number=0
result() # STATUS WHAT
{
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

needed=$(readelf -d "$shim" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
unexpected=$(echo "$needed" | grep -vE '^(libc|libm|libdl|ld-linux[a-z0-9-]*)\.so\.[0-9]+$')
[ -z "$sanitizers" ] || unexpected=$(echo "$unexpected" | grep -vE '^lib([atl]san|ubsan|gcc_s)\.so')
[ -n "$needed" ] && [ -z "$unexpected" ]
result $? "the shim links only the C library$(echo "${unexpected:+, yet also: $unexpected}" | tr '\n' ' ')"
readelf -d "$shim" | grep -q NODELETE
result $? "the shim cannot be unloaded"
readelf -lW "$shim" | grep GNU_STACK | grep -qv E
result $? "its stack is not executable"
! readelf -d "$shim" | grep -q TEXTREL
result $? "it has no text relocations"
sed -n 's/^Libs:.*-l//p' "$build/mublas.pc" | grep -qx mublas_shim
result $? "mublas.pc names it"
echo "1..$number"

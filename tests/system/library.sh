#!/bin/bash
# The built libraries link nothing but libc, libm and libdl, and are never unloaded.
. tests/environment.sh
. "$source_tree/tests/tap.sh"

check_library() # NAME FILE
{
    local name=$1 file=$2 needed unexpected
    needed=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    unexpected=$(echo "$needed" | grep -vE '^(libc|libm|libdl|ld-linux[a-z0-9-]*)\.so\.[0-9]+$')
    [ -z "$sanitizers" ] || unexpected=$(echo "$unexpected" | grep -vE '^lib([atl]san|ubsan|gcc_s)\.so')
    [ -n "$needed" ] && [ -z "$unexpected" ]
    result $? "$name links only the C library$(echo "${unexpected:+, yet also: $unexpected}" | tr '\n' ' ')"
    readelf -d "$file" | grep -q NODELETE
    result $? "$name cannot be unloaded"
    readelf -lW "$file" | grep GNU_STACK | grep -qv E
    result $? "$name: its stack is not executable"
    ! readelf -d "$file" | grep -q TEXTREL
    result $? "$name has no text relocations"
}

check_library "the shim" "$shim"
check_library "libmublas.so" "$build/.libs/libmublas.so"
readelf -d "$build/.libs/libmublas.so" | grep -q 'SONAME.*\[libmublas\.so\.0\]'
result $? "libmublas.so's name is versioned"
sed -n 's/^Libs:.*-l//p' "$build/mublas.pc" | grep -qx mublas
result $? "mublas.pc names the library to link"
echo "1..$number"

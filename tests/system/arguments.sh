#!/bin/bash
# Illegal arguments, quick returns and overlap: the program's xerbla_ or cblas_xerbla and its
# operands see the same through the shim as with the host BLAS alone, in every interface.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/hosts/hosts.sh"
use_reference_libraries
export NARROW_BLAS=$host_blas
# Operands that overlap are a race between a host's threads.
export OPENBLAS_NUM_THREADS=1 BLIS_NUM_THREADS=1

# Column of the report over the routines under test; a host's own calls come by the shim too.
total()
{
    awk -v column="$1" '/why calls stayed/ { exit } $1 ~ "[sdcz](axpy|gem[vm]|sym[vm]|hem[vm]|tr[ms]m|trmv|[sh]pmv|syrk|herk|syr2k|her2k)" && NF == 9 { sum += $column } END { print sum + 0 }' \
        "$work/report"
}

# through_shim TITLE MODE HOST WAY INTERFACE...: against what is in $work/host.
through_shim()
{
    local title=$1 mode=$2 host=$3 calls
    shift 3
    ( use_emulated_driver
      LD_PRELOAD=$shim_preload:$host MUBLAS_OFFLOAD=$mode MUBLAS_REPORT=$work/report \
          tests/system/arguments "$@" > "$work/output" 2> "$work/errors" )
    result $? "$title, mode $mode: through the shim"
    diff "$work/host" "$work/output" > "$work/difference"
    result $? "$title, mode $mode: the same names, numbers and operands"
    head -q -n 20 "$work/difference" | sed 's/^/# /'
    calls=$(grep -c '^  digest' "$work/output")
    # Not in CBLAS: the reference's calls its Fortran names.
    if [ "$2" = fortran ]; then
        [ "$(total 2)" = "$calls" ]
        result $? "$title, mode $mode: the report has all $calls calls"
    fi
    if [ "$mode" = always ]; then
        [ "$(total 3)" -gt 200 ]
        result $? "$title, mode $mode: $(total 3) calls ran on the device"
    fi
}

# compare TITLE HOST WAYS MODES LANGUAGE PREFIX SUFFIX BITS
compare()
{
    local host=$2 way mode errors title=$1 ways=$3 modes=$4
    shift 4
    for way in $ways; do
        LD_PRELOAD=${sanitizer_preload:+$sanitizer_preload:}$host tests/system/arguments "$way" "$@" \
            > "$work/host" 2> "$work/errors"
        result $? "$title, leaving by $way: the host BLAS alone"
        errors=$(awk '/errors reported/ { print $1 }' "$work/host")
        [ "${errors:-0}" -ge 100 ]
        result $? "$title, leaving by $way: it found $errors errors"
        for mode in $modes; do
            through_shim "$title, leaving by $way" "$mode" "$host" "$way" "$@"
        done
    done
}

named=$build/tests/system/.libs/wide_named.so
modes="always auto never"
[ -z "$sanitizers" ] || modes=always
compare "NAME_" "$host_blas" "return jump" "$modes" fortran "" _ 32
compare "cblas_NAME" "$host_blas" "return jump" "$modes" cblas cblas_ "" 32
compare "NAME_64_" "$named" "return jump" always fortran "" _64_ 64
# Under sanitizers no more: what is behind these names is compiled from the same lines.
[ -z "$sanitizers" ] || { echo "1..$number"; exit; }
compare "cblas_NAME64_" "$named" return always cblas cblas_ 64_ 64
compare "cblas_NAME_64" "$named" jump always cblas cblas_ _64 64
compare "scipy_NAME_" "$named" return always fortran scipy_ _ 32
compare "scipy_NAME_64_" "$named" jump always fortran scipy_ _64_ 64
compare "scipy_cblas_NAME" "$named" jump always cblas scipy_cblas_ "" 32
compare "scipy_cblas_NAME64_" "$named" return always cblas scipy_cblas_ 64_ 64

# A real library whose plain names take 64-bit integers.
for name in $(host_names ilp64); do
    if library=$(host_library "$name"); then
        LD_LIBRARY_PATH=$(host_directories "$name"):$LD_LIBRARY_PATH
        compare "NAME_ of $name" "$library" "return jump" always fortran "" _ 64
        compare "cblas_NAME of $name" "$library" "return jump" always cblas cblas_ "" 64
    else
        skip "$name" "it is not here; $how_to_fetch"
    fi
done
echo "1..$number"

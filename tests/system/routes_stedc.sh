#!/bin/bash
# stedc: right on the plain hosts (which shows that the tests are), then on the device, with a device that
# fails, and inside a dsyevd that stays on the host.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
programs_are_built || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }
types=sdcz
[ -z "$sanitizers" ] || types=dz # from which s and c differ by their precision

if [ -z "$sanitizers" ]; then
    passes_on_reference stedc
    result $? "reference LAPACK"
    openblas_directory=$(host_directories openblas-pthread) || openblas_directory=
    if [ -n "$openblas_directory" ] && [ -e "${openblas_directory%%:*}/liblapack.so.3" ]; then
        passes_on_openblas stedc
        result $? "OpenBLAS"
    else
        skip "OpenBLAS" "OpenBLAS with LAPACK is not installed"
    fi
fi

# The device has those of 80 calls of a COMPZ with order above 2, but for zeros and matrices with small parts.
passes_through_shim stedc --types $types --device
result $? "through the shim"
for type in $(fold -w 1 <<< "$types"); do
    [ "$(ran ${type}stedc 3)" = 86 ]
    result $? "${type}stedc ran on the device: $(ran ${type}stedc 3) of $(ran ${type}stedc 2) calls"
done

# The operands are as they came where the host has to begin anew.
for fault in KERNEL:2:719 KERNEL:9:719:sticky COPY_BACK:3:719 COPY_BACK:4:719 cublasDgemm_v2:1:13; do
    EMULATED_FAULTS=$fault passes_through_shim stedc --types d 33 &&
        grep -q '^  dstedc  *1  device error$' "$work/report"
    result $? "right results though $fault fails"
done

# A dsyevd of order 300 that is slower on the device, where its dstedc is not; and one that is given back for
# its data, whose dstedc is so as well.
slower=("route host real vectors 0.0625" "route host real values 0.0625" "route device real vectors 16"
        "route device real values 16" "route host real level3 16" "route device real level3 0.0625")
passes_by_recipe "${slower[@]}" "wake 1000" -- refused order 300 &&
    [ "$(ran dsyevd 4)" = 3 ] && [ "$(ran dstedc 2)" = 3 ] && [ "$(ran dstedc 3)" -gt 0 ]
result $? "inside a dsyevd that stays on the host: $(ran dstedc 3) of $(ran dstedc 2) on the device"
passes_by_recipe "${slower[@]/level3 16/level3 0.0625}" "wake 1000" -- refused order 300 &&
    [ "$(ran dsyevd 4)" = 3 ] && [ "$(ran dstedc 4)" = 3 ]
result $? "or on the host with it, where it is slower, too"
passes_through_shim refused nan && [ "$(ran dsyevd 4)" = 3 ] && [ "$(ran dstedc 3)" = 0 ]
result $? "inside a dsyevd with NaN: on the host"
echo "1..$number"

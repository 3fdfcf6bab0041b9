#!/bin/bash
# Every offloaded routine by the names of every interface, on the host BLAS alone and with
# everything offloaded: both agree with the routines' definition.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/hosts/hosts.sh"
use_reference_libraries
export NARROW_BLAS=$host_blas

pass_on() # TITLE STATUS: the program's lines as ours
{
    local line
    while IFS= read -r line; do
        case $line in
        "ok "*) result 0 "$1: ${line#* - }" ;;
        "not ok "*) result 1 "$1: ${line#* - }" ;;
        "#"*) echo "$line" ;;
        esac
    done < "$work/output"
    grep -q '^1\.\.' "$work/output"
    result $? "$1: ran to its end (status $2)"
}

# compare TITLE HOST FAR LANGUAGE PREFIX SUFFIX BITS: FAR is where 64-bit sizes are tried.
compare()
{
    local title=$1 host=$2 far=$3 far_alone= far_offloaded=
    shift 3
    case $far in
    anywhere) far_alone=far far_offloaded=far ;;
    offloaded) far_offloaded=far ;;
    esac
    # BLIS' herk and her2k read the imaginary parts of C's diagonal, which the reference does not.
    local diagonals=()
    [[ $title != *blis* ]] || diagonals=(ENTRIES_REAL_DIAGONALS=1)
    # The host is not instrumented: alone it has nothing to show to a sanitizer. Every name of a library made for the
    # tests calls the same: its plain ones show that it is right.
    if [ -z "$sanitizers" ] && [ "$host" != "$named" ]; then
        env "${diagonals[@]}" LD_PRELOAD="$host" tests/system/entries "$@" $far_alone > "$work/output" 2> "$work/errors"
        pass_on "$title, host alone" $?
    fi
    ( use_emulated_driver
      LD_PRELOAD=$shim_preload:$host MUBLAS_OFFLOAD=always MUBLAS_REPORT=$work/report \
          tests/system/entries "$@" $far_offloaded > "$work/output" 2> "$work/errors" )
    pass_on "$title, offloaded" $?
    # Every row of the interface's routines: all of its calls on the device.
    awk -v prefix="$2" -v suffix="$3" -v least=$least '
        $1 ~ "^" prefix "[sdcz](axpy|gem[vm]|sym[vm]|hem[vm]|tr[ms]m|trmv|[sh]pmv|syrk|herk|syr2k|her2k)" (prefix suffix == "_" ? "$" : suffix "$") && NF == 9 {
            rows++; calls += $2; device += $3 }
        END { print rows + 0, calls + 0, device + 0; exit !(rows == 50 && calls > least && device == calls) }' \
        "$work/report" > "$work/counts"
    result $? "$title: all calls of its 50 routines ran on the device ($(cat "$work/counts"))"
}

# Half of the names and hosts behind the first five, others every day.
sampled ENTRIES_FULL=1

# Three sizes with two increments; one, once both interfaces have shown that.
least=400
few() { export ENTRIES_FEW=1; least=150; }
# The kernel marks every page that lies between far elements: by Fortran's names, and one day in four by another's.
far_today() { if [ -n "$ENTRIES_FULL" ] || in_sample 4 0; then echo offloaded; else echo nowhere; fi; }

# A library made of a 32-bit one cannot reach far itself.
plain=$build/tests/system/.libs/wide_plain.so
named=$build/tests/system/.libs/wide_named.so
compare "NAME_, 32 bits" "$host_blas" nowhere fortran "" _ 32
compare "cblas_NAME, 32 bits" "$host_blas" nowhere cblas cblas_ "" 32
few
compare "NAME_, 64 bits detected" "$plain" offloaded fortran "" _ 64
compare "cblas_NAME, 64 bits detected" "$plain" "$(far_today)" cblas cblas_ "" 64
compare "NAME_64_" "$named" "$(far_today)" fortran "" _64_ 64
# Under sanitizers no more: what is behind these names is compiled from the same lines.
[ -z "$sanitizers" ] || { echo "1..$number"; exit; }
on_turn ENTRIES_FULL && compare "cblas_NAME64_" "$named" nowhere cblas cblas_ 64_ 64
on_turn ENTRIES_FULL && compare "cblas_NAME_64" "$named" nowhere cblas cblas_ _64 64
on_turn ENTRIES_FULL && compare "scipy_NAME_" "$named" nowhere fortran scipy_ _ 32
on_turn ENTRIES_FULL && compare "scipy_NAME_64_" "$named" nowhere fortran scipy_ _64_ 64
on_turn ENTRIES_FULL && compare "scipy_cblas_NAME" "$named" nowhere cblas scipy_cblas_ "" 32
on_turn ENTRIES_FULL && compare "scipy_cblas_NAME64_" "$named" nowhere cblas scipy_cblas_ 64_ 64

# A real library whose plain names take 64-bit integers.
for name in $(host_names ilp64); do
    if library=$(host_library "$name"); then
        LD_LIBRARY_PATH=$(host_directories "$name"):$LD_LIBRARY_PATH
        on_turn ENTRIES_FULL && compare "NAME_ of $name" "$library" "$(far_today)" fortran "" _ 64
        on_turn ENTRIES_FULL && compare "cblas_NAME of $name" "$library" "$(far_today)" cblas cblas_ "" 64
    else
        skip "$name" "it is not here; $how_to_fetch"
    fi
done
echo "1..$number"

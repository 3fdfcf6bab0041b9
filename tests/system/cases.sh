#!/bin/bash
# Every program of tests/system/cases is right: on the host BLAS alone, through the shim, and linked with
# -lmublas; by predicted times and with everything offloaded to the emulated device; over reference BLAS and
# OpenBLAS, with threads or serial, the other one every day.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/hosts/hosts.sh"
unset MUBLAS_TEST_HOSTS
use_emulated_driver
ulimit -c 0
export OPENBLAS_NUM_THREADS=1 # the handlers of faults are for one thread
# Recipes are looked for, in vain; the driver leaves errno and flags behind.
unset MUBLAS_RECIPE
export HOME=$work XDG_CONFIG_HOME=$work EMULATED_ARITHMETIC=1
folder=tests/system/cases

# The program, where its calls run in always mode (routines: these on the device), and what it is called with.
table()
{
    cat << END
guarded_triangle device
received_packets device
fetched_on_access device
own_descriptor_two device $work/own
error_number device
inexact_trap host
float_status device
found_values dsyevr,dsyevx,dsygvx
odd_stack dgemv,dsyevd,dpotrf
filter_probe device
syscall_filter host
syscall_filter host first
END
}


# run WAY MODE NAME [ARGUMENT...]: the status is the program's.
run()
{
    local way=$1 mode=$2 program=$folder/$3 preload=$shim_preload
    shift 3
    [ "$way" != linked ] || program=$folder/linked/${program##*/}
    [ "$way" = shim ] || preload=$sanitizer_preload
    rm -f "$work/report" "$work/output" "$work/errors"
    local settings=(MUBLAS_OFFLOAD=$mode)
    [ "$way" != linked ] || settings+=(MUBLAS_HOST_BLAS="$library")
    [ "$where" = host ] || settings+=(MUBLAS_REPORT="$work/report")
    env LD_LIBRARY_PATH="$directories:$LD_LIBRARY_PATH" LD_PRELOAD="$preload" "${settings[@]}" "$program" "$@" \
        > "$work/output" 2> "$work/errors"
}
ran_where() # as the table says, over this host
{
    [ "$where" = host ] || { awk -v rows="${where/device/total}" '$3 + 0 > 0 { on_device[$1] = 1 }
        END { for (i = split(rows, row, ","); i; i--) if (!on_device[row[i]]) exit 1 }' "$work/report" &&
        grep -q "^  host BLAS .*$(readlink -f "$library")" "$work/report"; }
}

# But for the warning that memory may be written unseen.
is_quiet() { ! grep -qv '^mublas: this process uses memory that can be written unseen' "$work/errors"; }

# try WAY MODE NAME [ARGUMENT...]
try()
{
    local way=$1 mode=$2 what="$name, $3${4:+ ${4##*/}}: $1${2:+, $2}"
    run "$@"
    local status=$?
    if [ $status = 2 ]; then
        skip "$what" "not here: $(head -n 1 "$work/errors")"
    else
        [ $status = 0 ] && [ -s "$work/output" ] && ! grep -q DIFFERS "$work/output" && is_quiet && ran_where
        result $? "$what"
    fi
}

every_way() # NAME WHERE [ARGUMENT...]
{
    local program=$1 where_always=$2 flags= way where
    shift 2
    case $program in float_status | odd_stack) flags=device ;; esac # what doc/limits.md says of them
    where=host
    try host "" "$program" "$@"
    for way in shim linked; do
        where=host
        try $way auto "$program" "$@"
        where=$where_always
        try $way always "$program" "$@" $flags
    done
}

sampled CASES_FULL=1
in_sample 2 0 && other=openblas-pthread || other=openblas-serial
[ -z "$CASES_FULL" ] || other="openblas-pthread openblas-serial"
for name in reference $other; do
    if ! library=$(host_library $name); then
        skip "$name" "not there; $how_to_fetch"
        continue
    fi
    directories=$(host_directories $name)
    while read -r -a row; do every_way "${row[@]}"; done < <(table)
done
echo "1..$number"

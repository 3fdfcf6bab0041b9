#!/bin/bash
# Programs that call LAPACK: right on the plain host, and through the shim with each routine on the emulated device.
# Under sanitizers only what keeps routines on the host: routes.sh has the rest, in memory with fences.
. tests/environment.sh
number=0
result() # STATUS WHAT
{
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

# PROGRAM ROUTINE:CALLS...: at least so many calls of each must run on the device
check()
{
    local program=$1 routine
    [ -z "$sanitizers" ] || return
    shift
    "$folder/$program" > "$work/host" 2>&1
    result $? "$program on the host"
    grep '^not ok' "$work/host" | sed 's/^/# /'
    ( use_emulated_driver
      LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=always MUBLAS_REPORT=$work/report "$folder/$program" > "$work/shim" 2> "$work/errors" )
    result $? "$program through the shim"
    grep '^not ok' "$work/shim" | sed 's/^/# /'
    sed 's/^/# /' "$work/errors"
    [ "$(tail -n 1 "$work/host")" = "$(tail -n 1 "$work/shim")" ]
    result $? "and it went as far"
    for routine; do
        awk -v name="${routine%:*}" -v least="${routine#*:}" \
            '$1 == name && NF == 9 { calls = $3 } END { exit !(calls >= least) }' "$work/report"
        result $? "${routine%:*} ran on the device at least ${routine#*:} times"
    done
}

# PROGRAM VARIABLE=VALUE ROUTINE...: right all the same, and none of the routines runs on the device. Of $types alone.
types=z # d is tried under sanitizers; s and c differ by their precision
[ -z "$sanitizers" ] || types=d
check_refused()
{
    local program=$1 request=$2 routine
    shift 2
    ( use_emulated_driver
      export "${request?}"
      LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=always MUBLAS_REPORT=$work/report "$folder/$program" $types > "$work/shim" 2> "$work/errors" )
    result $? "$program with $request"
    grep '^not ok' "$work/shim" | sed 's/^/# /'
    for routine; do
        [[ $routine = [$types]* ]] || continue
        awk -v name="$routine" '$1 == name && NF == 9 { found = 1; calls = $3 } END { exit !(found && calls == 0) }' "$work/report"
        result $? "$routine ran on the host"
    done
}

# By mublas' own reduction, which on three multiprocessors takes a panel for the largest order.
check_own()
{
    [ -z "$sanitizers" ] || return
    ( use_emulated_driver
      export EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=3 MUBLAS_VERBOSE=3
      LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=always "$folder/tridiagonal" z > "$work/shim" 2> "$work/errors" )
    result $? "tridiagonal by the own reduction"
    grep '^not ok' "$work/shim" | sed 's/^/# /'
    [ "$(grep -c '^mublas: launching zhetrd_panel ' "$work/errors")" = 2 ] &&
        [ "$(grep -c '^mublas: launching zhetrd_chip' "$work/errors")" = 6 ]
    result $? "and zhetrd is that, of two matrices by panels"
}

folder=$build/tests/system/reductions
[ -x "$folder/tridiagonal" ] || { echo "1..0 # SKIP configure found no LAPACK"; exit 0; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
use_reference_libraries

check tridiagonal {s,d}sytrd:6 {c,z}hetrd:6 {s,d}orgtr:6 {c,z}ungtr:6 {s,d}ormtr:24 {c,z}unmtr:24 {s,d}sygst:6 {c,z}hegst:6
check_own
check_refused tridiagonal EMULATED_SOLVER_WORKSPACE=huge dsytrd zhetrd dorgtr zungtr dormtr zunmtr
check_refused tridiagonal EMULATED_SOLVER_INFO=cusolverDnDsytrd:1,cusolverDnZungtr:3 dsytrd zungtr
check singular {s,d,c,z}gesdd:24 {s,d,c,z}gesvd:45
check_refused singular EMULATED_SOLVER_SIGMA_ERROR=1e-3 {d,z}gesdd {d,z}gesvd
check_refused singular EMULATED_SOLVER_WORKSPACE=fail {d,z}gesdd {d,z}gesvd
check general {s,d,c,z}geev:24
check_refused general EMULATED_SOLVER_INFO=cusolverDnXgeev:1 {d,z}geev
echo "1..$number"

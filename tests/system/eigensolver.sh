#!/bin/bash
# An unmodified LAPACK program on the emulated device: right, repeatable, as on the host.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
program=$build/fortran/eigensolver
digest() { awk '$1 == "digest" { print $2 }' "$1"; }

"$program" 1 > /dev/null 2>&1
[ $? != 127 ] || { echo "1..0 # SKIP configure found no Fortran compiler"; exit 0; }
use_reference_libraries
for arguments in "64 7" "150 3" "--tridiagonal 150 3"; do
    "$program" --eigenvalues "$work/values-host" $arguments > "$work/host"
    result $? "eigensolver $arguments on the host BLAS"
    [ "$(grep -cE '^[a-z]+ +[0-9.E+-]+   of .* in n .*eps; limit: 30 \(of LAPACK.s testers: 50\)$' "$work/host")" = 2 ]
    result $? "its two checks have their unit and limit"
    for run in 1 2; do
        ( use_emulated_driver
          LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=always MUBLAS_REPORT=$work/report-$run \
              "$program" --eigenvalues "$work/values-$run" $arguments > "$work/shim-$run" 2> "$work/errors-$run" )
        result $? "eigensolver $arguments through the shim, run $run"
        sed 's/^/# /' "$work/errors-$run"
        [ ! -s "$work/errors-$run" ]
        result $? "and without a word of complaint"
    done
    [ -n "$(digest "$work/shim-1")" ] && [ "$(digest "$work/shim-1")" = "$(digest "$work/shim-2")" ]
    result $? "both runs print the digest $(digest "$work/shim-1")"
    paste "$work/values-host" "$work/values-1" | awk '
        function magnitude(x) { return x < 0 ? -x : x }
        { n++; if (magnitude($1) > largest) largest = magnitude($1)
          if (magnitude($1 - $2) > difference) difference = magnitude($1 - $2) }
        END { exit !(n > 0 && difference <= 1e-13 * largest) }'
    result $? "its eigenvalues are the host's to rounding"
    case $arguments in --tridiagonal*) routine=dsytrd ;; *) routine=dsyevd ;; esac
    awk -v routine=$routine '$1 == routine && $2 > 0 && $3 > 0 { found = 1 } END { exit !found }' "$work/report-1"
    result $? "$routine ran on the device"
done

for arguments in "" "0" "x" "-5" "5 0" "5 6 7" "--frobnicate 5" "--eigenvalues" "--eigenvalues /nonexistent/file 5"; do
    "$program" $arguments > /dev/null 2> "$work/errors"
    [ $? = 2 ] && [ "$(wc -l < "$work/errors")" = 1 ]
    result $? "eigensolver $arguments: one line and exit status 2"
done
echo "1..$number"

#!/bin/bash
# Calls that are timed by one process after the other: what one of them lacks is no success.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_TEST_SHIM MUBLAS_REPORT MUBLAS_OFFLOAD GLIBC_TUNABLES LD_PRELOAD MUBLAS_HOST_BLAS
if [ -n "$sanitizers" ]; then
    echo "1..0 # SKIP a sanitized library cannot be loaded by the program that is started anew"
    exit 0
fi
use_emulated_driver
use_reference_libraries
export OMP_NUM_THREADS=1
learn() { tests/renewed_processes "$1" > "$work/output" 2> "$work/errors"; }

learn well
[ $? = 0 ] && grep -qE '^good, [4-9] processes, 2 curves$' "$work/output" && [ ! -s "$work/errors" ]
result $? "each visit has a process of its own, and all is learned ($(cat "$work/output"))"
learn deviceless
[ $? = 1 ] && grep -q '^bad, ' "$work/output" && [ "$(wc -l < "$work/errors")" = 1 ] &&
    grep -q 'renewed_processes: some calls of every routine stayed on the host: no usable device' "$work/errors"
result $? "where later ones find no device nothing is learned, in one line ($(cat "$work/output" "$work/errors"))"
learn killed
[ $? = 1 ] && grep -q '^bad, ' "$work/output" && [ "$(wc -l < "$work/errors")" = 1 ] &&
    grep -q 'renewed_processes: a process that made calls ended early' "$work/errors"
result $? "nor where one is killed ($(cat "$work/output" "$work/errors"))"
echo "1..$number"

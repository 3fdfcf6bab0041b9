#!/bin/bash
# A parallel program that is linked with -lmublas: its calls of ScaLAPACK are served as by preload, on a grid of four
# ranks and on one of one.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/mpi/mpi.sh"
skip_without_scalapack
[ -z "$sanitizers" ] || { echo "1..0 # SKIP a sanitizer's runtime must come before libmublas.so"; exit 0; }
use_emulated_system
export LD_LIBRARY_PATH=$build/.libs:$LD_LIBRARY_PATH

for ranks in 4 1; do
    on_ranks $ranks 100 env MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=3 tests/mpi/symmetric_linked 60 16 evd "$work/values"
    awk '$1 == "residual" { good = $2 < 1 && $4 < 1 } END { exit !good }' "$work/output"
    result $? "$ranks ranks, linked: $(cat "$work/output")"
    [ "$(cat "$work"/log.* | grep -c 'mublas: pdsyevd: device')" = $ranks ]
    result $? "pdsyevd is served"
done
echo "1..$number"

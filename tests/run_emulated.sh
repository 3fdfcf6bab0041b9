#!/bin/bash
# Run a test program on the emulated device: run_emulated.sh PROGRAM [ARGUMENT...]
# Programs under tests/system stand for applications: they get the shim by
# LD_PRELOAD, and the reference BLAS as their host. Run from the build directory.
. tests/environment.sh
use_emulated_driver
unset MUBLAS_REPORT
case $1 in
*tests/system/*)
    use_reference_libraries
    exec env LD_PRELOAD="$shim_preload" "$@" ;;
*)
    exec "$@" ;;
esac

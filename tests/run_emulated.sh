#!/bin/bash
# Run a test program on the emulated device: run_emulated.sh PROGRAM [ARGUMENT...]
# The host, and what the emulated cuBLAS and cuSOLVER compute by, is the reference BLAS and LAPACK.
# Programs under tests/system stand for applications: they get the shim by LD_PRELOAD.
# Run from the build directory.
. tests/environment.sh
use_emulated_system
unset MUBLAS_REPORT
case $1 in
*tests/system/*) exec env LD_PRELOAD="$shim_preload" "$@" ;;
*) exec "$@" ;;
esac

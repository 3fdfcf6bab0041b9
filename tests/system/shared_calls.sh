# shellcheck shell=bash
# Sourced by tests of shared_calls.h: settings by which several devices share each of its calls.
unset MUBLAS_TEST_SHIM MUBLAS_HOST_BLAS MUBLAS_DEVICE MUBLAS_DEVICE_MEMORY MUBLAS_VERBOSE CUDA_VISIBLE_DEVICES
use_emulated_system
ulimit -c 0
# Memory so slow that a matrix is on several devices at once.
export MUBLAS_OFFLOAD=always MUBLAS_DEVICE=all EMULATED_PEER=0 EMULATED_MEMORY_CLOCK=10
export EMULATED_MULTIPROCESSORS=60,55,50

# The setting by which products, too, are shared: no device holds them.
memory_for() { if [ "$1" = product ]; then echo MUBLAS_DEVICE_MEMORY=70K; else echo MUBLAS_DEVICE_MEMORY=80%; fi; }
all_worked() # each device has done some of it
{
    [ "$(grep -c '^  device .*; [1-9][0-9]* calls\{0,1\} of BLAS and\|^  device .* and [1-9][0-9]* of LAPACK;' \
        "$work/report")" = "$EMULATED_DEVICES" ]
}

#!/bin/bash
# Sourced by check_blas.sh and check_lapack.sh: the testers on the emulated device.
# check PATTERN; NETLIB_ONLY narrows the cases further.
. tests/environment.sh

check()
{
    local blas=${NETLIB_BLAS:-/usr/lib/$multiarch/blas} lapack=${NETLIB_LAPACK:-/usr/lib/$multiarch/lapack}
    if [ ! -x "$blas/xblat1d" ] || [ ! -x "$lapack/xeigtstd" ]; then
        echo "1..0 # SKIP the Netlib testers are not installed (Debian: libblas-test liblapack-test)"
        exit 0
    fi
    SHIM=$shim SHIM_PRELOAD=$shim_preload DRIVER=$emulated_driver NETLIB_BLAS=$blas NETLIB_LAPACK=$lapack \
        HOST_LIBRARIES=$host_lapack_directory:$host_blas_directory \
        exec bash "$source_tree/tests/netlib/compare.sh" --thin --only "$1" --only "${NETLIB_ONLY:-*}"
}

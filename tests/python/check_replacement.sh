#!/bin/bash
# Debian's NumPy and SciPy with libmublas.so as libblas.so.3, over OpenBLAS: what asks for single
# routines. (check_preload.sh runs scipy.linalg, check_wheel.sh numpy.linalg.)
. "$top_srcdir/tests/python/check.sh"
check_debian replacement openblas-pthread \
    "scipy.linalg.tests.test_blas scipy.linalg.tests.test_lapack scipy.linalg.tests.test_cython_blas" \
    -- numpy.linalg scipy.linalg scipy.sparse.linalg scipy.optimize numpy.core

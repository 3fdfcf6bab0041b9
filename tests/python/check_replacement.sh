#!/bin/bash
# Debian's NumPy and SciPy with libmublas.so as libblas.so.3, over OpenBLAS: what asks for single
# routines, a part of it every day. (check_preload.sh runs scipy.linalg, check_wheel.sh numpy.linalg.)
. "$top_srcdir/tests/python/check.sh"
suites=
for suite in blas lapack cython_blas; do
    ! on_turn PYTHON_FULL 3 || suites="$suites scipy.linalg.tests.test_$suite"
done
check_debian replacement openblas-pthread "${suites# }" \
    -- numpy.linalg scipy.linalg scipy.sparse.linalg scipy.optimize numpy.core

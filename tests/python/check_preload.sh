#!/bin/bash
# Debian's SciPy on the reference BLAS, by preload. (check_wheel.sh runs numpy.linalg.) With PYTHON_FULL=1 all of
# scipy.linalg, else what factors and decomposes.
. "$top_srcdir/tests/python/check.sh"
linalg="scipy.linalg.tests.test_decomp scipy.linalg.tests.test_decomp_cholesky"
[ -z "$PYTHON_FULL" ] || linalg=scipy.linalg
check_debian preload reference "$linalg" \
    -- numpy.linalg scipy.sparse.linalg scipy.optimize numpy.core

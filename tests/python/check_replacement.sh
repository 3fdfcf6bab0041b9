#!/bin/bash
# Debian's NumPy and SciPy with libmublas.so as libblas.so.3, over OpenBLAS: what asks for single
# routines, a part of it every day. (check_preload.sh runs scipy.linalg, check_wheel.sh numpy.linalg.)
. "$top_srcdir/tests/python/check.sh"
names=(blas lapack cython_blas) suites=
for ((i = 0; i < 3; i++)); do
    [ -z "$PYTHON_FULL" ] && ! in_sample 3 $i || suites="$suites scipy.linalg.tests.test_${names[i]}"
done
check_debian replacement openblas-pthread "${suites# }" \
    -- numpy.linalg scipy.linalg scipy.sparse.linalg scipy.optimize numpy.core

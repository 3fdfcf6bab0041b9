#!/bin/bash
# Debian's NumPy and SciPy with libmublas.so as libblas.so.3, over OpenBLAS.
. "$top_srcdir/tests/python/check.sh"
check_debian replacement openblas-pthread numpy.linalg scipy.linalg \
    -- scipy.sparse.linalg scipy.optimize numpy.core

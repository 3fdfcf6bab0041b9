#!/bin/bash
# Debian's NumPy and SciPy on the reference BLAS, by preload.
. "$top_srcdir/tests/python/check.sh"
check_debian preload reference numpy.linalg scipy.linalg \
    -- scipy.sparse.linalg scipy.optimize numpy.core

#!/bin/bash
# Debian's SciPy on the reference BLAS, by preload. (check_wheel.sh runs numpy.linalg.)
. "$top_srcdir/tests/python/check.sh"
check_debian preload reference scipy.linalg \
    -- numpy.linalg scipy.sparse.linalg scipy.optimize numpy.core

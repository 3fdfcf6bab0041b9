#!/bin/bash
# Debian's SciPy on the reference BLAS, by preload. (check_wheel.sh runs numpy.linalg.) With PYTHON_FULL=1 all of
# scipy.linalg, else without two modules that compute by what the others call.
. "$top_srcdir/tests/python/check.sh"
linalg="scipy.linalg -k 'not test_interpolative and not test_matfuncs'"
[ -z "$PYTHON_FULL" ] || linalg=scipy.linalg
check_debian preload reference "$linalg" \
    -- numpy.linalg scipy.sparse.linalg scipy.optimize numpy.core

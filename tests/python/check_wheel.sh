#!/bin/bash
# NumPy's wheel, whose BLAS has 64-bit integers and names of its own, by preload.
[ -n "$PYTHON_FULL" ] || { echo "1..0 # SKIP NumPy is tested by two other ways (PYTHON_FULL=1: by this one, too)"; exit 0; }
. "$top_srcdir/tests/python/check.sh"
check_wheel numpy.linalg "numpy._core.tests.test_multiarray -k 'dot or matmul or vecdot or matvec'" \
    -- numpy._core

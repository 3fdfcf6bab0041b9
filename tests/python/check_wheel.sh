#!/bin/bash
# NumPy's wheel, whose BLAS has 64-bit integers and names of its own, by preload.
if [ -z "$PYTHON_FULL" ]; then
    echo "1..0 # SKIP NumPy is tested in two other ways (PYTHON_FULL=1: in this one, too)"
    exit 0
fi
. "$top_srcdir/tests/python/check.sh"
check_wheel numpy.linalg "numpy._core.tests.test_multiarray -k 'dot or matmul or vecdot or matvec'" \
    -- numpy._core

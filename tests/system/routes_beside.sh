#!/bin/bash
# Threads that call BLAS beside threads in LAPACK routines on the device, operands of both on common pages:
# nobody waits for a routine that runs, and nothing of anybody's is lost.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
[ -x $program_folder/beside ] || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }

[ -n "$sanitizers" ] || {
    passes_on_reference beside
    result $? "reference LAPACK: eigenproblems in threads, others that call beside them"
}
EMULATED_SOLVER_HOLD=$work/hold passes_through_shim beside
result $? "through the shim: the others call while the device has the eigenproblems"
sed 's/^/# /' "$work/output"
[ "$(ran dsyevd 3)" = 8 ] && [ "$(ran dsyevd 4)" = 0 ] && [ "$(ran dsymv 3)" -ge 900 ] &&
    [ "$(ran dsymv 4)" = 0 ]
result $? "all of them on the device: $(ran dsyevd 3) and $(ran dsymv 3) of $(ran dsyevd 2) and $(ran dsymv 2)"
echo "1..$number"

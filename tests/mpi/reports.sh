#!/bin/bash
# Under mpirun a plain name of a report file keeps the report of every rank.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_TEST_SHIM MUBLAS_OFFLOAD
mpirun=${mpirun:-$(command -v mpirun)}
[ -n "$mpirun" ] && command -v "$mpirun" > "$work/which" || { echo "1..0 # SKIP there is no mpirun"; exit 0; }
use_emulated_driver
use_reference_libraries
options=()
if "$mpirun" --version 2>&1 | grep -q "Open MPI"; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    options=(--oversubscribe --bind-to none)
fi

# The loader's settings are for the program alone, not for mpirun.
run() # RANKS MUBLAS_REPORT
{
    local libraries=$LD_LIBRARY_PATH
    rm -f "$work"/report*
    LD_LIBRARY_PATH='' timeout 120 "$mpirun" "${options[@]}" -n "$1" env LD_LIBRARY_PATH="$libraries" LD_PRELOAD="$shim_preload" \
        MUBLAS_REPORT="$work/$2" tests/system/counted > "$work/output" 2> "$work/errors"
}
names() { (cd "$work" && echo report*); }
whole_reports() { grep -lE '^  total +21 ' "$work"/report* | wc -l; }

run 3 report && [ "$(names)" = "report.0 report.1 report.2" ] && [ "$(whole_reports)" = 3 ]
result $? "three ranks: three reports"
run 2 report-%r.txt && [ "$(names)" = "report-0.txt report-1.txt" ] && [ "$(whole_reports)" = 2 ]
result $? "with the rank where %r is"
run 2 report-%p && [ "$(names | wc -w)" = 2 ] && [ "$(whole_reports)" = 2 ]
result $? "or told apart by %p"
run 1 report && [ "$(names)" = report ] && [ "$(whole_reports)" = 1 ]
result $? "one rank: the name as it is"
echo "1..$number"

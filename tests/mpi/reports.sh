#!/bin/bash
# Under mpirun a plain name of a report file keeps the report of every rank; mublas run makes one of all.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
mpirun=${mpirun:-$(command -v mpirun)}
[ -n "$mpirun" ] && command -v "$mpirun" > "$work/which" || { echo "1..0 # SKIP there is no mpirun"; exit 0; }
use_emulated_system
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

# One report of a job, whichever of the two starts the other.
if [ -z "$sanitizers" ]; then
    # A service would be there for some time afterwards (service_run.sh).
    export XDG_RUNTIME_DIR=$work/runtime MUBLAS_SERVICE=never
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    job() # RANKS COMMAND...
    {
        local libraries=$LD_LIBRARY_PATH ranks=$1
        shift
        rm -f "$work"/report*
        LD_LIBRARY_PATH='' timeout 120 "$mpirun" "${options[@]}" -n "$ranks" env LD_LIBRARY_PATH="$libraries" "$@" \
            > "$work/output" 2> "$work/errors"
    }
    # The first table, of the sums, has the calls of all ranks; each has a section, in order.
    is_of_ranks() # FILE RANKS CALLS
    {
        [ "$(names)" = "${1##*/}" ] && [ "$(awk '$1 == "total" { print $2; exit }' "$1")" = "$3" ] &&
            [ "$(sed -n 's/^mublas report of process [0-9]*, rank \([0-9]*\) of.*/\1/p' "$1" | tr -d '\n')" = "$2" ]
    }
    counted=$build/tests/system/counted
    job 4 "$build/mublas" run --report="$work/report.txt" -- "$counted" && is_of_ranks "$work/report.txt" 0123 84 &&
        [ -z "$(ls "$XDG_RUNTIME_DIR")" ]
    result $? "mpirun mublas run: the last rank writes one report of all"
    rm -f "$work"/report*
    libraries=$LD_LIBRARY_PATH
    env LD_LIBRARY_PATH= timeout 120 "$build/mublas" run --report="$work/report.txt" -- "$mpirun" "${options[@]}" -n 4 \
        env LD_LIBRARY_PATH="$libraries" "$counted" > "$work/output" 2> "$work/errors" &&
        is_of_ranks "$work/report.txt" 0123 84 && [ -z "$(ls "$XDG_RUNTIME_DIR")" ]
    result $? "mublas run mpirun: likewise"
    job 4 "$build/mublas" run --estimate -- "$counted" && [ "$(grep -c '^mublas estimate of 4 processes' "$work/errors")" = 1 ] &&
        [ "$(sed -n 's/^mublas estimate of process [0-9]*, rank \([0-9]*\) of 4.*/\1/p' "$work/errors" | tr -d '\n')" = 0123 ] &&
        [ "$(grep -c '^  whole job' "$work/errors")" = 1 ] && [ -z "$(ls "$XDG_RUNTIME_DIR")" ]
    result $? "mpirun mublas run --estimate: one estimate of all"
    # Rank 2 is killed once the others have left their parts, so that none of them is ended by mpirun before.
    job 4 "$build/mublas" run --report="$work/report.html" -- bash -c '[ "$OMPI_COMM_WORLD_RANK$PMI_RANK" = 2 ] || exec "$0"
        until [ "$(ls "$MUBLAS_REPORT_PARTS" | grep -c ^part-)" = 3 ]; do sleep 0.05; done; exec "$0" killed' "$counted"
    [ $? != 0 ] && [ "$(names)" = report.html ] &&
        grep -qE '^<p class="banner">Process [0-9]+, rank 2 \(.*\) made calls and left no report: signal 9 \(Killed\) ended it\.' "$work/report.html" &&
        [ "$(grep -oE '<summary>rank [0-9]+' "$work/report.html" | tr -dc '0-9')" = 013 ] &&
        { ! python3 -c 'import html.parser' 2> /dev/null || python3 "$source_tree/tests/system/check_page.py" "$work/report.html"; }
    result $? "after a rank was killed there is a page of the others, which names it"
fi
echo "1..$number"

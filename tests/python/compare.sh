#!/bin/bash
# Run Python test suites on the host BLAS alone and again through mublas with
# MUBLAS_OFFLOAD=always, and compare the outcome of every test. Prints TAP, one line for each
# suite; tests with different outcomes are named.
#
#   compare.sh [--keep DIR] SUITE...
#
# SUITE       pytest arguments, separated by blanks: modules as after --pyargs, or options
# --keep DIR  leave outputs, outcomes and reports there
#
# From the environment:
#   PYTHON          the interpreter
#   PYTHONPATH      where it finds pytest and the modules
#   SHIM            the library to preload (and SHIM_PRELOAD what goes with it), or
#   REPLACEMENT     mublas' library to stand in for libblas.so.3
#   HOST_LIBRARIES  directories of libraries for both runs (libblas.so.3, liblapack.so.3)
#   HOST_BLAS       the host's libblas.so.3: mublas must have bound it or one beside it (may be
#                   empty without REPLACEMENT)
#   DRIVER          directory of the (emulated) libcuda.so.1, or empty
#   LEAVE_OUT       a file of tests to leave out, written as in tests/python/long, or empty
#   SYMBOLS         an awk pattern; calls of symbols that match it must run on the device
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../hosts/bound.sh"
keep=
[ "$1" != --keep ] || { keep=$2; shift 2; }
[ $# -gt 0 ] || { echo "usage: compare.sh [--keep DIR] SUITE..." >&2; exit 2; }
for variable in PYTHON ${REPLACEMENT:+REPLACEMENT HOST_BLAS} ${SHIM:+SHIM}; do
    [ -e "${!variable}" ] || { echo "compare.sh: $variable='${!variable}' does not exist" >&2; exit 2; }
done
[ -n "$SHIM$REPLACEMENT" ] || { echo "compare.sh: neither SHIM nor REPLACEMENT is set" >&2; exit 2; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/mublas-python.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT

libraries="$HOST_LIBRARIES${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
alone=(LD_LIBRARY_PATH="$libraries")
through=(MUBLAS_OFFLOAD=always)
if [ -n "$REPLACEMENT" ]; then
    mkdir "$scratch/replacement"
    ln -s "$(readlink -f "$REPLACEMENT")" "$scratch/replacement/libblas.so.3"
    through+=(LD_LIBRARY_PATH="$scratch/replacement:${DRIVER:+$DRIVER:}$libraries" MUBLAS_HOST_BLAS="$HOST_BLAS")
else
    through+=(LD_LIBRARY_PATH="${DRIVER:+$DRIVER:}$libraries" LD_PRELOAD="${SHIM_PRELOAD:-$(readlink -f "$SHIM")}")
fi

# one_run FOLDER SUITE VARIABLE=VALUE...
one_run()
{
    local folder=$1 suite=$2
    shift 2
    mkdir -p "$folder"
    # The suites' own folders may belong to somebody else: no cache, no compiled files there.
    # NPY_AVAILABLE_MEM: NumPy leaves out tests that want gigabytes.
    ( cd "$folder" &&
        eval "set -- \"\$@\" \"\$PYTHON\" -m pytest -p no:cacheprovider -p outcomes -q -s --tb=short --durations=20 --pyargs $suite" &&
        env PYTHONPATH="$here:$PYTHONPATH" PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=20 NPY_AVAILABLE_MEM=500MB OUTCOMES="$folder/outcomes" "$@" \
            > output 2>&1; echo $? > status; times > processor-time )
}

# Calls of symbols that match $1 which ran on the device, over all processes of the run in $2.
device_calls()
{
    cat "$2"/report.* 2> /dev/null | awk -v pattern="$1" '
        $1 == "routine" { table = 1; next }
        $1 == "why" { table = 0 }
        table && $1 != "total" && $1 ~ pattern { calls += $3 }
        END { print calls + 0 }'
}

# Tests whose outcome is rounding's choice: also between one host BLAS and another.
comparable() { awk 'NR == FNR { if ($1 !~ /^#/) skip[$1] = 1; next } !($2 in skip)' "$here/rounding" "$1/outcomes" > "$1/compared"; }

judge() # NUMBER SUITE FOLDER
{
    local why= calls tally
    calls=$(device_calls "${SYMBOLS:-.}" "$3/through")
    tally=$(cut -d' ' -f1 "$3/through/outcomes" 2> /dev/null | sort | uniq -c |
        awk '{ printf "%s%d %s", comma, $1, $2; comma = ", " }')
    if ! grep -q '^passed' "$3/alone/outcomes" 2> /dev/null; then
        why="no test passes on the host BLAS alone"
    elif [ ! -e "$3/through/outcomes" ]; then
        why="it ends early through mublas, with status $(cat "$3/through/status")"
    elif comparable "$3/alone" && comparable "$3/through" &&
        ! cmp -s "$3/alone/compared" "$3/through/compared"; then
        why="outcomes differ (< host alone, > through mublas)"
    elif grep -q '^mublas: ' "$3/through/output"; then
        why="mublas complains"
    elif ! bound_as_meant "$3/through"; then
        why="mublas did not bind $HOST_BLAS"
    elif [ "$calls" = 0 ]; then
        why="no call${SYMBOLS:+ of $SYMBOLS} ran on the device"
    fi
    if [ -z "$why" ]; then
        echo "ok $1 - $2: $tally, as on the host alone; $calls calls${SYMBOLS:+ of $SYMBOLS} on the device"
        echo "# processor time alone: $(tail -n 1 "$3/alone/processor-time"), through mublas: $(tail -n 1 "$3/through/processor-time")"
        return
    fi
    echo "not ok $1 - $2: $why"
    { diff "$3/alone/compared" "$3/through/compared" 2> /dev/null | grep '^[<>]' | head -60
      grep '^mublas: ' "$3/through/output" | sort -u | head
      [[ -e $3/through/outcomes && -e $3/alone/outcomes ]] || tail -n 25 "$3/through/output"; } |
          sed 's/^/# /'
    return 1
}

echo "1..$#"
number=0 failures=0
for suite in "$@"; do
    number=$((number + 1))
    folder=$scratch/runs/$number
    one_run "$folder/alone" "$suite" "${alone[@]}" &
    one_run "$folder/through" "$suite" "${through[@]}" MUBLAS_REPORT="$folder/through/report.%p" &
    wait
    judge $number "$suite" "$folder" || failures=$((failures + 1))
done
[ -z "$keep" ] || { mkdir -p "$keep" && cp -r "$scratch/runs/." "$keep"; }
exit $((failures > 0))

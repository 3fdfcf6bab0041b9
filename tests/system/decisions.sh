#!/bin/bash
# What becomes of some thousand calls of every routine is what it was: host or device, for what reason, and at what
# prices. A list is kept of it; DECISIONS_KEPT=FILE writes a new one, for a change that is meant.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
. "$source_tree/tests/hosts/hosts.sh"
program=$program_folder/decisions
[ -x $program ] || { echo "1..0 # SKIP there is no LAPACK"; exit 0; }
unset MUBLAS_DEVICE MUBLAS_HOST_BLAS CUDA_VISIBLE_DEVICES MUBLAS_TEST_HOSTS
# The reference has times of its own (reference_host.sh): OpenBLAS' hold, beside the same LAPACK.
# So does one of wider vectors than those of every processor.
export OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell
library=$(host_library openblas-serial || host_library openblas-pthread) ||
    { echo "1..0 # SKIP no OpenBLAS; $how_to_fetch"; exit 0; }
host_blas_directory=$work/host host_blas=$work/host/libblas.so.3
mkdir "$work/host" && ln -s "$library" "${library%/*}/libopenblas.so.0" "$work/host/" || exit 1
kept=$source_tree/tests/system/decisions.txt

# A line a call of the program, equal ones that follow each other counted; none of those that LAPACK makes itself. A
# call that never pays is known as such or not, by its address.
decisions() # [LINE OF A RECIPE...] -- [ARGUMENT]
{
    local lines=()
    while [ "$1" != -- ]; do lines+=("$1"); shift; done
    shift
    passes_by_recipe "${lines[@]}" -- decisions "$@" || return
    awk '
        function tell() { if (call) print call ": " (told && told !~ /^too small/ ? told : "not looked at") }
        $1 == "call" { tell(); call = $0; sub(/^call /, "", call); name = $2; told = ""; next }
        $1 == "mublas:" && !told && ($2 == name || $2 == name ":") { told = $0; sub(/^[^:]*:[^:]*: /, "", told) }
        END { tell() }' "$work/errors" | uniq -c
}
{
    echo "# by a recipe that has the device woken for little, and a slow LAPACK on the host"
    slow=()
    for field in real complex; do
        for curve in values vectors level3 singular; do slow+=("route host $field $curve 10"); done
    done
    decisions "wake 800" "${slow[@]}" --
    echo "# by built-in prices but that of waking"
    decisions "wake 150000" -- blas
} > "$work/list"
if grep -q 'could not track writes' "$work/report"; then
    echo "1..0 # SKIP this kernel tracks no writes, and the list is of one that does"
    exit 0
fi
[ -z "$DECISIONS_KEPT" ] || cp "$work/list" "$DECISIONS_KEPT"
calls=$(awk '$1 != "#" { calls += $1 } END { print calls }' "$work/list")
[ "$calls" -gt 2000 ] && [ "$(grep -c ': device; ' "$work/list")" -gt 100 ] && [ "$(grep -c 'credits [1-9]' "$work/list")" -gt 30 ]
result $? "$calls calls, in $(wc -l < "$work/list") lines"
diff "$kept" "$work/list" > "$work/output"
result $? "all as they are kept"
echo "1..$number"

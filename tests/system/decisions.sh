#!/bin/bash
# Some thousand calls of every routine are decided as they were: host or device, for what reason, and at what prices. A
# list is kept of it; DECISIONS_KEPT=FILE writes a new one, for a change that is meant. The library predicts for the
# same processors wherever it runs (routes/early_borders.c).
MUBLAS_TEST_SHIM=$top_builddir/tests/system/routes/early/.libs/libmublas.so.0
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
. "$source_tree/tests/hosts/hosts.sh"
program=$program_folder/decisions
[ -x $program ] || { echo "1..0 # SKIP there is no LAPACK"; exit 0; }
unset MUBLAS_DEVICE MUBLAS_HOST_BLAS CUDA_VISIBLE_DEVICES MUBLAS_TEST_HOSTS
# The reference has times of its own (reference_host.sh): OpenBLAS' hold, beside the same LAPACK.
export OPENBLAS_NUM_THREADS=1
library=$(host_library openblas-serial || host_library openblas-pthread) ||
    { echo "1..0 # SKIP no OpenBLAS; $how_to_fetch"; exit 0; }
host_blas_directory=$work/host host_blas=$work/host/libblas.so.3
mkdir "$work/host" && ln -s "$library" "${library%/*}/libopenblas.so.0" "$work/host/" || exit 1
kept=$source_tree/tests/system/decisions.txt

# A line a call of the program; none of those that LAPACK makes itself. A call that never pays is known as such or not,
# by its address.
decisions() # [LINE OF A RECIPE...] -- [ARGUMENT]
{
    local lines=()
    while [ "$1" != -- ]; do lines+=("$1"); shift; done
    shift
    passes_by_recipe "${lines[@]}" -- decisions "$@" || return
    awk '
        function tell() { if (call) print call ": " (told && told !~ /^too small/ ? told : "unseen") }
        $1 == "call" { tell(); call = $0; sub(/^call /, "", call); name = $2; told = ""; next }
        $1 == "mublas:" && !told && ($2 == name || $2 == name ":") { told = $0; sub(/^[^:]*:[^:]*: /, "", told) }
        END { tell() }' "$work/errors" > "$work/calls"
    rows "$work/calls"
}
# A row for routines with the same decisions: sizes, and how many calls in turn had which end, in one word.
rows() # FILE
{
    sed 's/_ n=\([0-9]*\) k=\1:/_ n=\1:/; s/predicted faster on the host/slower/; s/opening the device, [^;]* way/unpaid/
        s/the matrix is rewritten between calls/rewritten/; s/upload not yet worth its cost/unsent/
        s/ us$//; s/, \(credits\|had\) 0\>//g; s/gains 0\(, \|$\)//; s/;//; s/ $//; s/_ / /' "$1" |
        uniq -c | awk '
        function tell() { if (names) print names ":" row }
        function add(    text) {
            if (!name) return
            if (ends != row) { tell(); row = ends; names = name } else names = names " " name
        }
        {
            split($0, part, ": ")
            count = split(part[1], word, " ")
            size = word[3] (count > 3 ? " " word[4] : "")
            if (word[2] != name) { add(); name = word[2]; ends = last = "" }
            ends = ends (size == last ? "," : (ends ? ";" : "") " " size ":") " " word[1] " " part[2]
            last = size
        }
        END { add(); tell() }'
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
[ "$(grep -o ' device ' "$work/list" | wc -l)" -gt 100 ] && [ "$(grep -o 'credits [1-9]' "$work/list" | wc -l)" -gt 30 ]
result $? "in $(wc -l < "$work/list") lines are calls of each kind"
diff "$kept" "$work/list" > "$work/output"
result $? "all as they are kept"
echo "1..$number"

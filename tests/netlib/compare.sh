#!/bin/bash
# Run the Netlib BLAS and LAPACK testers on the host BLAS alone and again through mublas
# with MUBLAS_OFFLOAD=always, by LD_PRELOAD of the shim or with its own library in the place
# of libblas.so.3, and compare what they count. Prints TAP; a difference is a failure and its
# lines are shown.
#
#   compare.sh [--thin | --parts] [--few-sizes] [--only PATTERN] [--keep DIR]
#
# --thin          smaller LAPACK inputs (tests/netlib/thin) where there are any
# --parts         singular values, least squares, packed storage and symmetric eigenproblems alone, in full, cut into
#                 cases by block size and routines, which run at once: dsvd.1 to dsvd.5, dtest.LS.1 ...
# --few-sizes     three sizes of the six in the BLAS testers' inputs
# --only PATTERN  only the cases whose name matches this shell pattern (each, if given twice)
# --keep DIR      leave the testers' outputs there
#
# From the environment:
#   SHIM            the library to preload (and SHIM_PRELOAD what goes with it), or
#   REPLACEMENT     mublas' library to stand in for libblas.so.3 and libblas64.so.3
#   NETLIB_BLAS     directory of xblat1s.. and their input files
#   NETLIB_LAPACK   directory of xeigtsts.., xlintsts.. and their input files
#   HOST_LIBRARIES  directories of the host's libblas.so.3 and liblapack.so.3
#   HOST_BLAS       the host's libblas.so.3 or libblas64.so.3: mublas must have bound it or
#                   one beside it (may be empty without REPLACEMENT)
#   CBLAS_GLOBALS   a library with the reference CBLAS's two variables, which the CBLAS testers
#                   want and only the reference has; preloaded where a host lacks them
#   DRIVER          directory of the (emulated) libcuda.so.1, or empty
#   NETLIB_JOBS     testers to run at a time (default: the processors)
#   NETLIB_DEVICES  numbers of GPUs, with blanks between: each has one tester at a time
# bash and awk are all it needs.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../hosts/bound.sh"
thin= parts= few_sizes= only=() keep=
while [ $# -gt 0 ]; do
    case $1 in
    --thin) thin=$here/thin ;;
    --parts) parts=yes ;;
    --few-sizes) few_sizes=yes ;;
    --only) only+=("$2"); shift ;;
    --keep) keep=$2; shift ;;
    *) echo "compare.sh: unknown argument '$1'" >&2; exit 2 ;;
    esac
    shift
done
for variable in ${REPLACEMENT:+REPLACEMENT HOST_BLAS} ${SHIM:+SHIM} ${HOST_BLAS:+HOST_BLAS} NETLIB_BLAS NETLIB_LAPACK; do
    [ -e "${!variable}" ] || { echo "compare.sh: $variable='${!variable}' does not exist" >&2; exit 2; }
done
[ -n "$SHIM$REPLACEMENT" ] || { echo "compare.sh: neither SHIM nor REPLACEMENT is set" >&2; exit 2; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/mublas-netlib.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT

# Settings of the runs through mublas, which those on the host alone have not.
libraries="$HOST_LIBRARIES${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
through=(MUBLAS_OFFLOAD=always)
if [ -n "$REPLACEMENT" ]; then
    mkdir "$scratch/replacement"
    for name in libblas.so.3 libblas64.so.3; do
        ln -s "$(readlink -f "$REPLACEMENT")" "$scratch/replacement/$name"
    done
    through+=(LD_LIBRARY_PATH="$scratch/replacement:${DRIVER:+$DRIVER:}$libraries" MUBLAS_HOST_BLAS="$HOST_BLAS"
              ${SHIM_PRELOAD:+LD_PRELOAD="$SHIM_PRELOAD"})
else
    SHIM=$(readlink -f "$SHIM")
    through+=(LD_LIBRARY_PATH="${DRIVER:+$DRIVER:}$libraries" LD_PRELOAD="${SHIM_PRELOAD:-$SHIM}${CBLAS_GLOBALS:+:$CBLAS_GLOBALS}")
fi
alone=(LD_LIBRARY_PATH="$libraries" ${CBLAS_GLOBALS:+LD_PRELOAD="$CBLAS_GLOBALS"})

names=() commands=() inputs=() devices=()

# add NAME DIRECTORY TESTER INPUT DEVICE: DEVICE says whether the shim must offload calls in it.
add()
{
    local pattern
    for pattern in "${only[@]}"; do [[ $1 == $pattern ]] || return; done
    names+=("$1") commands+=("$2/$3") inputs+=("$4") devices+=("$5")
}

# The thin input for BASE and precision LETTER if there is one, else the tester's own FILE.
input()
{
    local base=$1 letter=$2 file=$3 kind candidate
    case $letter in s | d) kind=real ;; *) kind=complex ;; esac
    for candidate in "$base.$kind.in" "$base.in"; do
        if [ -n "$thin" ] && [ -f "$thin/$candidate" ]; then
            sed "s/@/${letter^^}/" "$thin/$candidate" > "$scratch/$letter$base.in"
            echo "$scratch/$letter$base.in"
            return
        fi
    done
    echo "$NETLIB_LAPACK/$file.in"
}

# A BLAS tester's own FILE, or with fewer of its values of N: level 3 makes calls by their cube.
blas_input()
{
    local few=$scratch/${1##*/}
    if [ -z "$few_sizes" ] || [ ! -r "$1" ]; then
        echo "$1"
        return
    fi
    sed '/NUMBER OF VALUES OF N$/s/^6/3/
         s/^0 1 2 3 5 9\( *VALUES OF N\)$/0 2 9\1/
         s/^1 2 3 5 7 9\( *VALUES OF N\)$/1 3 9\1/' "$1" > "$few"
    echo "$few"
}

# cut FILE PART [PATH]: the input of FILE with the PARTth of its block sizes alone and, of the testers of linear
# equations, the routines of PATH alone.
cut_input()
{
    local part=$scratch/${1##*/}.$2${3:+.$3}
    if [ ! -r "$1" ]; then
        echo "$1"
        return
    fi
    awk -v part="$2" -v path="$3" '
        path != "" && is_list { if ($1 == path) print; next }
        /Number of parameter values|Number of values of NB/ { if (/parameter/) has_own = 1; sub(/[0-9]+/, "1") }
        /  Values of (NB|NBMIN|NX)( |$)/ || (has_own && /  Values of NRHS/) { print $part, substr($0, index($0, "  Values")); next }
        { print }
        /test the error exits/ { is_list = 1 }' "$1" > "$part"
    echo "$part"
}

list_parts()
{
    local letter part path hermitian
    for letter in s d c z; do
        case $letter in s | d) hermitian= ;; *) hermitian=HP ;; esac
        for part in 1 2 3 4 5; do
            add "${letter}svd.$part" "$NETLIB_LAPACK" "xeigtst$letter" "$(cut_input "$NETLIB_LAPACK/svd.in" $part)" yes
            add "${letter}sep.$part" "$NETLIB_LAPACK" "xeigtst$letter" "$(cut_input "$NETLIB_LAPACK/sep.in" $part)" yes
            for path in LS PP SP TP $hermitian; do
                add "${letter}test.$path.$part" "$NETLIB_LAPACK" "xlintst$letter" \
                    "$(cut_input "$NETLIB_LAPACK/${letter}test.in" $part "${letter^^}$path")" yes
            done
        done
        for part in 1 2 3; do
            add "${letter}sg.$part" "$NETLIB_LAPACK" "xeigtst$letter" \
                "$(cut_input "$NETLIB_LAPACK/${letter}sg.in" $part)" yes
        done
        add "${letter}lse" "$NETLIB_LAPACK" "xeigtst$letter" "$NETLIB_LAPACK/lse.in" yes
    done
}

list_cases()
{
    local letter level name low
    for letter in s d c z; do
        # In level 3, syr2k runs on the device: real types only.
        case $letter in s | d) low=yes ;; *) low=no ;; esac
        add "${letter}blat1" "$NETLIB_BLAS" "xblat1$letter" /dev/null yes
        add "${letter}blat2" "$NETLIB_BLAS" "xblat2$letter" "$(blas_input "$NETLIB_BLAS/${letter}blat2.in")" yes
        add "${letter}blat3" "$NETLIB_BLAS" "xblat3$letter" "$(blas_input "$NETLIB_BLAS/${letter}blat3.in")" $low
        add "${letter}cblat1" "$NETLIB_BLAS" "x${letter}cblat1" /dev/null yes
        add "${letter}cblat2" "$NETLIB_BLAS" "x${letter}cblat2" "$(blas_input "$NETLIB_BLAS/${letter}in2")" yes
        add "${letter}cblat3" "$NETLIB_BLAS" "x${letter}cblat3" "$(blas_input "$NETLIB_BLAS/${letter}in3")" $low
        for name in nep sep se2 svd glm gqr gsv csd lse; do
            add "$letter$name" "$NETLIB_LAPACK" "xeigtst$letter" "$(input $name $letter $name)" yes
        done
        for name in ec ed gg gd sb sg bb bak bal gbak gbal; do
            [ -n "$thin" ] && [ $name = ec ] && continue
            case $name in *ba*) low=no ;; *) low=yes ;; esac
            add "$letter$name" "$NETLIB_LAPACK" "xeigtst$letter" "$(input $name $letter $letter$name)" $low
        done
        add "${letter}test" "$NETLIB_LAPACK" "xlintst$letter" "$(input test $letter ${letter}test)" yes
        add "${letter}rfp" "$NETLIB_LAPACK" "xlintstrf$letter" "$(input rfp $letter ${letter}test_rfp)" yes
    done
    add dstest "$NETLIB_LAPACK" xlintstds "$(input mixed d dstest)" yes
    add zctest "$NETLIB_LAPACK" xlintstzc "$(input mixed z zctest)" yes
}

# The lines that count passes and failures, without the blanks that vary.
summarise()
{
    cat "$1"/stdout "$1"/*.out 2>/dev/null | tr -d '\000' |
        awk '/[Pp]assed|PASS|FAIL|[Ff]ailed|out of|[Ii]llegal| INFO|SUSPECT|ABANDONED|number of examples|tests run/ {
                 gsub(/[ \t]+/, " "); print }'
    echo "exit status $(cat "$1/status")"
}

# one_run FOLDER COMMAND INPUT [VARIABLE=VALUE...]
one_run()
{
    local folder=$1 command=$2 input=$3
    shift 3
    mkdir -p "$folder"
    ( cd "$folder" && env "$@" "$command" < "$input" > stdout 2> stderr; echo $? > status )
    summarise "$folder" > "$folder/summary"
}

# Calls that ran on the device, by the shim's own report.
device_calls()
{
    awk '$1 == "total" { total = $3 } END { print total + 0 }' "$1"/report* 2>/dev/null || echo 0
}

# on_a_device COMMAND...: with a GPU that no other tester has, where they are named.
on_a_device()
{
    local number
    if [ -z "$NETLIB_DEVICES" ]; then
        "$@"
        return
    fi
    while :; do
        for number in $NETLIB_DEVICES; do
            exec 9> "${TMPDIR:-/tmp}/mublas-netlib-device-$number"
            flock -n 9 || continue
            "$@" CUDA_VISIBLE_DEVICES="$number"
            exec 9>&-
            return
        done
        sleep 0.2
    done
}

run_case()
{
    local folder=$scratch/runs/${names[$1]}
    one_run "$folder/host" "${commands[$1]}" "${inputs[$1]}" "${alone[@]}"
    on_a_device one_run "$folder/shim" "${commands[$1]}" "${inputs[$1]}" "${through[@]}" MUBLAS_REPORT="$folder/shim/report"
    touch "$folder/done"
}

# Tests run and failed, out of the lines of a summary.
counts()
{
    awk '{ line = tolower($0) }
         line ~ /[0-9]+ out of/ { match(line, /[0-9]+ out of +[0-9]+/); split(substr(line, RSTART, RLENGTH), word, " ")
                                  failed += word[1]; run += word[4]; next }
         line ~ /[0-9]+ (calls|tests run|tests done)/ { match(line, /[0-9]+ (calls|tests)/); run += substr(line, RSTART, RLENGTH) + 0; next }
         line ~ /fail|suspect|abandoned/ { failed++; run++; next }
         line ~ /pass/ { run++ }
         END { printf "%d run, %d failed", run, failed }' "$1"
}

judge()
{
    local name=${names[$1]} number=$(($1 + 1)) folder=$scratch/runs/${names[$1]} why= on_device
    on_device=$(device_calls "$folder/shim")
    if ! grep -qiE 'pass|number of examples' "$folder/host/summary"; then
        why="the host BLAS alone passes nothing"
    elif ! cmp -s "$folder/host/summary" "$folder/shim/summary"; then
        why="the counts differ (< host alone, > through mublas)"
    elif grep -q '^mublas: ' "$folder/shim/stderr"; then
        why="mublas complains"
    elif [ "${devices[$1]}" = yes ] && ! bound_as_meant "$folder/shim"; then
        why="mublas did not bind $HOST_BLAS"
    elif [ "${devices[$1]}" = yes ] && [ "$on_device" = 0 ]; then
        why="no call ran on the device"
    fi
    if [ -z "$why" ]; then
        echo "ok $number - $name: $(counts "$folder/shim/summary"), as on the host alone; $on_device calls on the device"
    else
        echo "not ok $number - $name: $why"
        { diff "$folder/host/summary" "$folder/shim/summary" | grep '^[<>]' | head -40
          grep -v '^Note: ' "$folder/shim/stderr" | head -20; } | sed 's/^/# /'
        return 1
    fi
}

if [ -n "$parts" ]; then list_parts; else list_cases; fi
[ ${#names[@]} -gt 0 ] || { echo "compare.sh: no case matches ${only[*]}" >&2; exit 2; }
echo "1..${#names[@]}"
can_run() { [ -x "${commands[$1]}" ] && [ -r "${inputs[$1]}" ]; }

# Judge in order what has finished, as soon as it has: a run that is broken off keeps the rest.
next=0 failures=0
judge_finished()
{
    while [ $next -lt ${#names[@]} ]; do
        if ! can_run $next; then
            echo "ok $((next + 1)) - ${names[$next]} # SKIP no ${commands[$next]} or its input"
        elif [ -e "$scratch/runs/${names[$next]}/done" ]; then
            judge $next || failures=$((failures + 1))
        else
            return
        fi
        next=$((next + 1))
    done
}

for index in "${!names[@]}"; do
    can_run "$index" || continue
    while [ "$(jobs -rp | wc -l)" -ge "${NETLIB_JOBS:-$(nproc)}" ]; do wait -n; done
    judge_finished
    run_case "$index" &
done
wait
judge_finished
[ -z "$keep" ] || { mkdir -p "$keep" && cp -r "$scratch/runs/." "$keep"; }
exit $((failures > 0))

#!/bin/bash
# Run the offload benchmarks on the host BLAS alone (all cores) and under the shim,
# in one go, and write the results as data.
#
#   bench/run_offload.sh -s SHIM [-b HOST_BLAS] [-p PROGRAMS] [-o OUTPUT] [-n N] [-t N] [-r N]
#
#   -s  libmublas_shim.so
#   -b  the host BLAS library, with LAPACK inside (as OpenBLAS has it); default: what
#       the loader finds as libblas.so.3 and liblapack.so.3
#   -p  folder of the built programs residency and tridiagonal; default: bench
#   -o  data file; the log with settings and reports goes to OUTPUT with .log for
#       .csv; default: offload.csv
#   -n  order for dsymv, -t order for dsytrd; default 8192 each
#   -r  rounds of dsytrd, host and shim in turn, a process each; default 3
# Other settings (MUBLAS_*, OPENBLAS_NUM_THREADS) are passed on by the environment
# and kept in the log.
set -u
shim='' host_blas='' programs=bench output=offload.csv symv_order=8192 tridiagonal_order=8192 rounds=3
while getopts s:b:p:o:n:t:r: option; do
    case $option in
    s) shim=$OPTARG ;;
    b) host_blas=$OPTARG ;;
    p) programs=$OPTARG ;;
    o) output=$OPTARG ;;
    n) symv_order=$OPTARG ;;
    t) tridiagonal_order=$OPTARG ;;
    r) rounds=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//; 2,17p' "$0" >&2; exit 2 ;;
    esac
done
if [ ! -r "$shim" ]; then
    echo "run_offload.sh: no shim at '$shim' (option -s)" >&2
    exit 2
fi
shim=$(realpath "$shim")
log=${output%.csv}.log
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The programs ask for libblas.so.3 and liblapack.so.3: let both be the library given.
if [ -n "$host_blas" ]; then
    host_blas=$(realpath "$host_blas") || exit 2
    ln -s "$host_blas" "$work/libblas.so.3"
    ln -s "$host_blas" "$work/liblapack.so.3"
    export LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
else
    host_blas=$(ldd "$programs/residency" | awk '/libblas/ { print $3 }')
    host_blas=$(realpath "$host_blas")
fi

device_name()
{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1 || true
}

device=$(device_name)
{
    echo "# device: ${device:-none seen by nvidia-smi (emulated or absent)}"
    echo "# host: $(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) cores"
    echo "# host BLAS: $host_blas"
    echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "# command: bench/run_offload.sh -n $symv_order -t $tridiagonal_order -r $rounds"
    echo "# library: host (the host BLAS alone, all cores) or shim (the same program under LD_PRELOAD)"
    echo "library,case,n,calls,median_seconds,least_seconds,digest"
} > "$output"
{
    grep '^#' "$output"
    env | grep -E '^(MUBLAS_|OPENBLAS_|OMP_|GLIBC_TUNABLES)' | sort
} > "$log"

failures=0
# run LIBRARY PROGRAM ARGUMENT...
run()
{
    local library=$1 preload=''
    shift
    [ "$library" = shim ] && preload=$shim
    echo "== $library: $*" >> "$log"
    if env LD_PRELOAD="$preload" MUBLAS_REPORT="${MUBLAS_REPORT:-1}" "$programs/$@" > "$work/lines" 2> "$work/errors"
    then
        sed "s/^/$library,/" "$work/lines" >> "$output"
    else
        failures=$((failures + 1))
        echo "run_offload.sh: $* failed on $library:" >&2
        tail -5 "$work/errors" >&2
    fi
    cat "$work/lines" "$work/errors" >> "$log"
}

for library in host shim; do
    run "$library" residency "$symv_order"
done
# Whole processes, so that waking the device counts; in turn, since the host's speed drifts.
for round in $(seq "$rounds"); do
    for library in host shim; do
        run "$library" tridiagonal "$tridiagonal_order" 1 L "$work/eigenvalues"
    done
done

# The median over the rounds of each case.
awk -F, '
function median(key, n,    i, j, t) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && seen[key, j - 1] > seen[key, j]; j--) {
            t = seen[key, j]; seen[key, j] = seen[key, j - 1]; seen[key, j - 1] = t
        }
    return n % 2 ? seen[key, (n + 1) / 2] : (seen[key, n / 2] + seen[key, n / 2 + 1]) / 2
}
/^#/ || $1 == "library" { next }
{
    key = $2 " n=" $3
    if ($1 == "host" && !(key in known)) { known[key]; order[++count] = key }
    seen[$1 key, ++rows[$1 key]] = $5
}
END {
    printf "%-32s %14s %14s %9s\n", "case", "host seconds", "shim seconds", "ratio"
    for (i = 1; i <= count; i++) {
        key = order[i]
        host = median("host" key, rows["host" key])
        if (rows["shim" key]) {
            shim = median("shim" key, rows["shim" key])
            printf "%-32s %14.6f %14.6f %9.2f\n", key, host, shim, host / shim
        } else
            printf "%-32s %14.6f %14s\n", key, host, "failed"
    }
}' "$output" | tee -a "$log"
grep 'eigenvalues differ' "$log" | sed 's/$/ times n eps |A| between host and shim/'
exit $((failures > 0))

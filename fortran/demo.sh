#!/bin/bash
# The demo of ./quickstart demo, in a folder where mublas was built: demo.sh BUILD [N]
# A LAPACK eigensolver of order N runs on the host BLAS, then through mublas, on the GPU or, without one, on the
# emulated device of the tests. What the two runs write stays in BUILD/demo, so that the commands can be run again.
build=$(cd "$1" && pwd) || exit 1
n=$2
solver=$build/fortran/eigensolver mublas=$build/mublas
emulated_driver=$build/tests/emulated_driver/lib

die()
{
    echo "demo: $*" >&2
    exit 1
}

# Sets gpu to the device's name, or to nothing and why_not to the reason.
find_gpu()
{
    gpu=$("$mublas" info 2> /dev/null | sed -n 's/^device [0-9]*: \([^,]*\).*/\1/p' | head -n 1)
    why_not="this machine has no usable NVIDIA GPU and driver"
    if [ -n "$gpu" ] && [ ! -f "$build/src/gpu/kernels/kernels.fatbin" ]; then
        why_not="there is a GPU ($gpu), but no nvcc was found to compile the kernels for it (./quickstart demo --with-cuda=DIR)"
        gpu=
    fi
}

# Says the command as it can be given to a shell, runs it, and keeps what it prints in demo/NAME.out.
say_and_run() # NAME COMMAND...
{
    local name=$1
    shift
    printf '$'
    printf ' %q' "$@"
    printf '\n'
    "$@" | tee "$folder/$name.out"
    [ "${PIPESTATUS[0]}" = 0 ] || die "this command fails: $(printf '%q ' "$@")"
}

# The rows of the report's table of routines: NAME CALLS ON-DEVICE ON-HOST.
rows() { awk '$1 == "routine" && $2 == "calls" { inside = 1; next } $1 == "total" { exit } inside { print $1, $2, $3, $4 }' "$report"; }

say_where()
{
    rows | awk -v device="$device" '
        function calls(n) { return n " call" (n == 1 ? "" : "s") }
        { printf "%-8s", $1
          if ($3) printf " %s on %s", calls($3), device
          if ($3 && $4) printf ","
          if ($4) printf " %s on the host", calls($4)
          printf "\n"; all += $2; there += $3 }
        END { printf "%d of %s of BLAS and LAPACK ran on %s.\n", there, calls(all + 0), device }'
}

value_of() { awk -v name="$1" '$1 == name { print $2 }' "$folder/$2.out"; }

# The largest difference between the two runs' eigenvalues, in parts of the largest one.
largest_difference()
{
    paste "$folder/host" "$folder/mublas" | awk '
        function magnitude(x) { return x < 0 ? -x : x }
        { if (magnitude($1) > largest) largest = magnitude($1)
          if (magnitude($1 - $2) > difference) difference = magnitude($1 - $2) }
        END { printf "%.1e", (largest > 0 ? difference / largest : 0) }'
}

[ -x "$solver" ] || die "the eigensolver needs a Fortran compiler and LAPACK; see $build/configure.log"
find_gpu
settings=()
if [ -n "$gpu" ]; then
    n=${n:-8192} device="the GPU"
    echo "Running on the GPU: $gpu."
else
    n=${n:-192} device="the emulated device"
    settings=(env "LD_LIBRARY_PATH=$emulated_driver" MUBLAS_OFFLOAD=always)
    [ -e "$emulated_driver/libcuda.so.1" ] || { echo "demo: building the emulated device" >&2 &&
        make -C "$build" -j"$(nproc)" emulated-driver > "$build/emulated.log" 2>&1; } ||
        die "the emulated device cannot be built; see $build/emulated.log"
    echo "Running on the EMULATED device: $why_not. It shows what happens, not how fast."
fi
folder=$build/demo report=$folder/report.txt
mkdir -p "$folder" && rm -f "$report" || die "cannot write in $folder"

echo
echo "--- an eigensolver of order $n, on the host BLAS"
say_and_run host "$solver" --eigenvalues "$folder/host" "$n"
echo
echo "--- the same program through mublas"
say_and_run mublas "${settings[@]}" "$mublas" run --report="$report" -- "$solver" --eigenvalues "$folder/mublas" "$n"
[ -s "$report" ] || die "there is no report in $report"
echo
echo "--- where its calls ran"
say_where
[ -z "$gpu" ] || echo "dsyevd took $(value_of dsyevd host) s on the host and $(value_of dsyevd mublas) s through mublas, which woke the GPU in it."
echo "The largest difference of an eigenvalue is $(largest_difference) of the largest eigenvalue."
echo "Digests of the eigenvalues, host and mublas: $(value_of digest host) $(value_of digest mublas)"
echo "(digests differ between BLAS libraries, which sum in different orders; through mublas they repeat)"
echo
echo "--- the report, which is in $report"
grep -v '^# ' "$report" # of those lines "mublas report" makes one report of several
echo
echo "mublas in these lines is $mublas; make -C $build install puts it where the shell finds it."
if [ -z "$gpu" ]; then
    echo "Without a GPU every call of your own program stays on the host, as the report will say. What it would gain on an H100:"
    printf '%q run --estimate -- ./my_program\n' "$mublas"
fi
echo "Your own program:"
printf '%q run --report -- ./my_program\n' "$mublas"

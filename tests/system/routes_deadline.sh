#!/bin/bash
# Kernels whose blocks wait for each other, one of which never comes, and launches that the driver refuses: the
# host gives the result, of operands that are as they were, and the next call does not go the same way.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
programs_are_built || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }

says() { grep -q "^mublas: .*$1" "$work/errors"; }

# On three multiprocessors, as the request says.
passes_with() # VARIABLE=VALUE PROGRAM [ARGUMENT...]
{
    local request=$1
    shift
    rm -f "$work/counts"
    ( export EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=3 EMULATED_COUNT_FILE=$work/counts "${request?}"
      passes_through_shim "$@" )
}

launched() { [ "$(called cuLaunchCooperativeKernel)" = "$1" ]; }
went() { [ "$(ran dsyevd 3)" = "$1" ] && [ "$(ran dsyevd 4)" = "$2" ]; } # DEVICE HOST

# Failures end at a deadline, which is no sooner than ten seconds: beside each other.
late() # VARIABLE=VALUE PROGRAM [ARGUMENT...]
{
    passes_with "$@" && says "no end after 10 s"
}
second="one never comes, of the second of several kernels: the others end, whatever they are given"
second_kernel() { late EMULATED_ABSENT=2 refused order 130 1 && went 0 1; }
aside second_kernel second_kernel

all_come() { passes_with EMULATED_SEED=1 failing dsyevd && launched 2 && went 2 0; }
absent() { late EMULATED_ABSENT=1 failing dsyevd && launched 1 && went 1 1; }
generalised() { late EMULATED_ABSENT=1 failing dsygvd && [ "$(ran dsygvd 4)" = 1 ]; }
stuck() { passes_with EMULATED_STUCK=1 failing dsyevd && says "left alone" && went 0 2; }
refused()
{
    passes_with EMULATED_FAULTS=cuLaunchCooperativeKernel:1:720 failing dsyevd && launched 1 && went 1 1
}
bidiagonal() { late EMULATED_ABSENT=1 bidiagonal --types d 20 && [ "$(ran dgebrd 3)" = 0 ]; }
# Least squares, whose values come home amid the route.
squares_late() { MUBLAS_EIGENSOLVER=own late EMULATED_ABSENT=1 least_squares --types d 20; }
squares_stuck() { MUBLAS_EIGENSOLVER=own passes_with EMULATED_STUCK=1 least_squares --types d 20 && says "left alone"; }

for name in absent generalised stuck bidiagonal squares_late squares_stuck; do
    aside $name $name
done
all_come
result $? "all blocks come: two dsyevd by kernels of our own"
refused
result $? "the driver refuses a launch: none is tried again"
result_of absent "one never comes: the host's result, and the next dsyevd by cuSOLVER"
result_of generalised "one never comes, of a generalised problem: A and B are as they were"
result_of stuck "the kernel does not end at all: the device is left alone, and the program ends"
result_of bidiagonal "one never comes, of a panel to bidiagonal form: the host's results, then and later"
result_of squares_late "one never comes, of singular values for least squares: the host's results"
result_of squares_stuck "nor does that kernel end: the device is left alone"
result_of second_kernel "$second"
echo "1..$number"

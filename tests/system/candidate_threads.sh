#!/bin/bash
# Two threads with eigenproblems of their own, which wait for each other on one device: by default a second one is
# woken and used once that has paid for it, but under no launcher, and not for one thread.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
[ -x $program_folder/threads ] || { echo "1..0 # SKIP there is no LAPACK"; exit; }
unset MUBLAS_DEVICE MUBLAS_DEVICE_MEMORY MUBLAS_HOST_BLAS CUDA_VISIBLE_DEVICES
for variable in $(compgen -e |
    grep -E '^(OMPI_|PMIX?_|MPI_|SLURM_|MV2_|MVP_|PALS_|JSM_|FLUX_)'); do unset "$variable"; done
export EMULATED_DEVICES=2 EMULATED_DEVICE_MEMORY=1G

# An eigenproblem of order 220 is predicted to take 54 ms on the host, 16 ms on a device. Waking one with its
# cuSOLVER takes 0.27 s, which some 10 calls on the host pay for the first, and some 25 that waited for the next.
lines=("route host real vectors 16" "route device real vectors 12" "wake 20000")
solve() { passes_by_recipe "${lines[@]}" -- threads 220 "$@"; } # SOLVERS ROUNDS
routes_on()
{
    sed -n "s/^  device .*; device $1 by .* and \([0-9]*\) of LAPACK; .*/\1/p" "$work/report" | grep . || echo -1
}
contexts() { called cuDevicePrimaryCtxRetain; }

alone() { [ "$(ran dsyevd 3)" -gt 20 ] && [ "$(routes_on 1)" = -1 ] && [ "$(contexts)" = 1 ]; }

solve 2 40 && [ "$(routes_on 0)" -gt 20 ] && [ "$(routes_on 1)" -gt 10 ] && [ "$(contexts)" = 2 ]
result $? "two threads wake the second device by what they wait: $(routes_on 0) and $(routes_on 1) routes"
sampled CANDIDATES_FULL=1
# (candidates.sh has Open MPI's.)
if on_turn CANDIDATES_FULL 3; then
    SLURM_PROCID=0 SLURM_LOCALID=0 solve 2 20 && alone
    result $? "not under a launcher: $(ran dsyevd 3) routes on one"
fi
if on_turn CANDIDATES_FULL 3; then
    solve 1 40 && alone
    result $? "one thread never waits: $(ran dsyevd 3)"
fi
if on_turn CANDIDATES_FULL 3; then
    MUBLAS_DEVICE=0,1 solve 2 24 && [ "$(routes_on 1)" -gt 5 ]
    result $? "one that is named is used, too: $(routes_on 0) and $(routes_on 1) routes"
    MUBLAS_DEVICE=0,1 solve 2 8 && [ "$(routes_on 1)" -gt 0 ]
    result $? "and opened with the first call that waits, however few follow: $(routes_on 0) and $(routes_on 1) routes"
fi
echo "1..$number"

#!/bin/bash
# A matrix in steady use goes on to gain from a third device, in default mode: by calls that find it on one
# device and on two, and where no device can hold it alone. Its parts there are paid for, and until then the
# others go on.
. tests/environment.sh
only_on_day STEADY_FULL 0
. "$source_tree/tests/tap.sh"
unset CUDA_VISIBLE_DEVICES GLIBC_TUNABLES
for variable in $(compgen -e |
    grep -E '^(OMPI_|PMIX?_|MPI_|SLURM_|MV2_|MVP_|PALS_|JSM_|FLUX_)'); do unset "$variable"; done
export OMP_NUM_THREADS=1 EMULATED_DEVICE_MEMORY=1G EMULATED_PEER=0
use_emulated_system
calls=150

# A call takes 4000 us on one device, so 2100 on two, 1483 on three and 1200 on four, not a fifth less.
# Waking one takes 20 ms, sending all of the 3.3 MB 26.
printf '%s\n' "host-blas $(readlink -f "$host_blas")" "host-threads 1" \
    "host dgemv_none_square 100 40000 10000000 40000" "device dgemv_none_square 100 4000 10000000 4000" \
    "upload pinned 1000 10 2500000 20000" "wake 20000" > "$work/lines"
tests/system/make_recipe "$work/lines" > "$work/recipe" || exit 1

steady() # DEVICES [NAME=VALUE...]
{
    rm -f "$work/report"
    env EMULATED_DEVICES="$1" "${@:2}" MUBLAS_RECIPE="$work/recipe" MUBLAS_REPORT="$work/report" \
        LD_PRELOAD="$shim_preload" tests/system/steady $calls > "$work/output" 2> "$work/errors"
}
calls_on() # ORDINAL; -1: it is not in use
{
    sed -n "s/^  device .*; device $1 by .*; \([0-9]*\) calls\{0,1\} of BLAS .*/\1/p" "$work/report" 2> /dev/null |
        grep . || echo -1
}
all_calls() { echo "$(calls_on 0), $(calls_on 1), $(calls_on 2) and $(calls_on 3)"; }

steady 1 && grep -q " 0 changes" "$work/output" && cp "$work/output" "$work/one"
result $? "on one device: $(cat "$work/output")"
steady 2 && cmp "$work/output" "$work/one" && second=$(calls_on 1) && [ "$second" -gt 100 ]
result $? "on two: $(all_calls) calls"
steady 4 && cmp "$work/output" "$work/one" && third=$(calls_on 2) && [ "$third" -gt 40 ] && [ "$third" -lt "$second" ]
result $? "a third comes, with the same bits: $(all_calls) calls"
[ "$(calls_on 1)" = "$second" ]
result $? "the second has its part in each call from the same one on, before and after"
[ "$(calls_on 3)" = -1 ] && ! grep 'device 3 .*awake' "$work/errors"
result $? "a fourth would bring too little"
steady 4 EMULATED_FAULTS=cuLaunchKernel@1:30:719:sticky && cmp "$work/output" "$work/one" &&
    [ "$(calls_on 3)" -gt 0 ] && [ "$(calls_on 3)" -lt "$(calls_on 2)" ]
result $? "it comes where the second is lost: $(all_calls) calls"

# 6 MiB less a margin of 4 hold three fifths of it.
steady 2 MUBLAS_DEVICE_MEMORY=6M && cmp "$work/output" "$work/one" && second=$(calls_on 1) && [ "$second" -gt 100 ]
result $? "where none can hold it alone, two do: $(all_calls) calls"
steady 4 MUBLAS_DEVICE_MEMORY=6M && cmp "$work/output" "$work/one" && [ "$(calls_on 2)" -gt 40 ] &&
    [ "$(calls_on 2)" -lt "$second" ] && [ "$(calls_on 1)" = "$second" ] && [ "$(calls_on 3)" = -1 ]
result $? "a third comes, and no call is the host's for that: $(all_calls) calls"
echo "1..$number"

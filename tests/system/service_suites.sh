#!/bin/bash
# Findings of tests hold through a service, too: programs of other tests once more, whose device is a server's. A
# sample; SERVICE_FULL=1 has all.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
unset MUBLAS_TEST_SHIM MUBLAS_REPORT MUBLAS_OFFLOAD MUBLAS_SERVICE
mpirun=${mpirun:-$(command -v mpirun)}
use_emulated_driver
use_reference_libraries
sampled SERVICE_FULL=1
export NARROW_BLAS=$host_blas OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# The program's lines of TAP are good and end as planned, and calls of it ran on the server's device.
served() # PROGRAM [ARGUMENT...]
{
    rm -f "$work/report"
    timeout -k 5 3000 env LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=2 MUBLAS_REPORT="$work/report" \
        "tests/system/$1" "${@:2}" > "$work/output" 2> "$work/errors" && grep -q '^1\.\.' "$work/output" &&
        ! grep -q '^not ok' "$work/output" && grep -q 'through the service$' "$work/errors" &&
        awk '$1 == "total" && $3 > 0 { found = 1 } END { exit !found }' "$work/report"
    result $? "$*"
}
# All calls of entries, more than half of coherence's.
most_on_device() # PARTS: less than one in so many is on the host
{
    awk -v parts="$1" '$1 == "total" && $4 * parts < $2 { found = 1 } END { exit !found }' "$work/report"
    result $? "and its calls ran on the device: $(grep '^  total' "$work/report" | cut -c 1-60)"
}
all() { [ -n "$SERVICE_FULL" ]; }
# Ends the service that begin has started.
end()
{
    until_status " to 0 clients; [1-9][0-9]* so far" && stop_service
    result $? "the service has no client left, and ends well: $(head -n 1 "$work/status") $(head -n 2 "$work/service_errors")"
}
digests() # PROGRAM [ARGUMENT...]
{
    DIGESTS_SERVICE=1 "tests/gpu/$1" --check "$source_tree/tests/gpu/$1.txt" "${@:2}" > "$work/output" 2> "$work/errors"
    result $? "$*: $(tail -n 1 "$work/output")"
}

has_routes=false
[ ! -x tests/system/routes/eigen ] || has_routes=true

start_service --keep
result $? "a service starts"
export ENTRIES_FEW=1
! all || unset ENTRIES_FEW
! { all || in_sample 2 0; } || { served entries fortran "" _ 32 && most_on_device 1000000; }
! { all || in_sample 2 1; } || { served entries cblas cblas_ "" 32 && most_on_device 1000000; }
MUBLAS_TRUST_TRACKING=1 served coherence $((2 + seed)) $(all && echo 6000 || echo 300) 200 2 pins faults
most_on_device 2
# It computes with memory that it has pinned, once it has begun with CUDA after the service was there.
MUBLAS_TRUST_TRACKING=1 served coherence 20788 6000 200 2 pins faults
all && sessions=({1..20}) || sessions=()
for session in "${sessions[@]}"; do
    MUBLAS_TRUST_TRACKING=1 served coherence "$session" 1000 200 $((1 + session % 4)) && most_on_device 2
done
if $has_routes; then
    served routes/refused nan
    served routes/ends fork
    served routes/threads
fi
digests kernel_digests --max-n $(all && echo 130 || echo "40 --part $((seed % 8))/8") --edges
if [ -z "$scalapack_missing" ] && [ -n "$mpirun" ]; then
    . "$source_tree/tests/mpi/mpi.sh"
    alone
    calls=$(all && echo 160 || echo 12)
    "$build/mublas" serve --status > "$work/status"
    before=$(sed -n 's/.* \([0-9]*\) so far.*/\1/p' "$work/status")
    on_ranks 4 1000 env MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=3 LD_PRELOAD="$shim_preload" \
        tests/mpi/parallel_properties "$seed" "$calls" device &&
        awk -v wanted="$calls" '$1 == "calls" && $2 == wanted && $4 > wanted * 0.6 && $6 == 0 { good = 1 } END { exit !good }' "$work/output"
    result $? "four ranks: $(grep '^calls' "$work/output")"
    "$build/mublas" serve --status > "$work/status"
    [ "$(sed -n 's/.* \([0-9]*\) so far.*/\1/p' "$work/status")" -gt "$before" ]
    result $? "and the owner's device was the service's: $(head -n 1 "$work/status")"
fi
end

# Our own eigensolver's kernels want all of a device. Large ones would take the emulated one more than their deadline.
export EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=3
start_service --keep
result $? "a service of a device of three multiprocessors starts"
if $has_routes; then
    number_of_day=$((seed % 4)) types=sdcz
    all && options="0 1 2 33" || { types=${types:number_of_day:1}; options="--only s 33"; }
    for type in $(fold -w 1 <<< "$types"); do
        served routes/eigen --types "$type" $options
    done
    served routes/factor --types "$types" 3 33
    served routes/singular --types "$types" 3 9
    served routes/least_squares --types "$types" 9
fi
digests eigen_digests --leave-out stedc --max-n $(all && echo 64 || echo "33 --part $((seed % 4))/4")
end
DIGESTS_SERVICE=1 tests/gpu/kernel_digests --max-n 10 --part 0/8 > "$work/output" 2> "$work/errors"
[ $? = 1 ] && grep -q 'no service' "$work/errors"
result $? "digests are not taken for a service's where none runs"

echo "1..$number"

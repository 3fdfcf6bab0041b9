#!/bin/bash
# Ranks that share a device stay on the host for calls that a process alone sends there, and open nothing.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_TEST_SHIM MUBLAS_OFFLOAD GLIBC_TUNABLES MUBLAS_HOST_BLAS MUBLAS_DEVICE CUDA_VISIBLE_DEVICES \
    CUDA_MPS_PIPE_DIRECTORY SLURM_GPUS_ON_NODE OPENBLAS_NUM_THREADS BLIS_NUM_THREADS MKL_NUM_THREADS
mpirun=${mpirun:-$(command -v mpirun)}
[ -n "$mpirun" ] && command -v "$mpirun" > "$work/which" || { echo "1..0 # SKIP there is no mpirun"; exit 0; }
use_emulated_system
export OMP_NUM_THREADS=1 EMULATED_COUNT_FILE=$work/driver_calls
options=()
if "$mpirun" --version 2>&1 | grep -q "Open MPI"; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    options=(--oversubscribe --bind-to none)
fi
# Learned by a process that was alone: of order 300 the device takes less than half of the host's time.
cat > "$work/lines" << END
host-blas $(readlink -f "$host_blas")
host-threads 1
host dsymv 100 1 1000000 5000
device dsymv 100 2 1000000 2000
upload pinned 1000 10 10000000 100
wake 4000
END
tests/system/make_recipe "$work/lines" > "$work/recipe"
rm -f "$EMULATED_COUNT_FILE"

# on_device RANKS [SETTING...]: how many dsymv of 40 of each rank ran on the device
on_device()
{
    local ranks=$1 libraries=$LD_LIBRARY_PATH
    shift
    rm -f "$work"/report* "$EMULATED_COUNT_FILE"
    LD_LIBRARY_PATH='' timeout 120 "$mpirun" "${options[@]}" -n "$ranks" env LD_LIBRARY_PATH="$libraries" "$@" \
        LD_PRELOAD="$shim_preload" MUBLAS_RECIPE="$work/recipe" MUBLAS_REPORT="$work/report" \
        tests/system/learned 0 > "$work/output" 2> "$work/errors" || return 1
    calls=$(awk '$1 == "dsymv" && $4 ~ /^[0-9]+$/ { print $3 }' "$work"/report* | sort -n | xargs)
}
asleep() { [ "$(grep -lE '^  device +not woken: no call was worth it' "$work"/report* | wc -l)" = "$1" ]; }

on_device 1 && alone=$calls && [ "$alone" -ge 10 ]
result $? "one process: $alone of 40 calls on the device"
on_device 4 && [ "$calls" = "0 0 0 0" ] && asleep 4 && [ ! -s "$EMULATED_COUNT_FILE" ]
result $? "four that share one: none ($calls), no device is woken and the driver not called"
on_device 4 CUDA_VISIBLE_DEVICES=0,1,2,3 EMULATED_DEVICES=4 && [ "$calls" = "$alone $alone $alone $alone" ]
result $? "four with a device each: as many as one process ($calls)"
on_device 4 CUDA_VISIBLE_DEVICES=0 SLURM_GPUS_ON_NODE=4 && [ "$calls" = "$alone $alone $alone $alone" ]
result $? "also where the batch system has dealt them ($calls)"
on_device 4 CUDA_VISIBLE_DEVICES=0 SLURM_GPUS_ON_NODE=1 && [ "$calls" = "0 0 0 0" ] && asleep 4
result $? "but not where that has one for all ($calls)"
mkdir "$work/mps" && mkfifo "$work/mps/control" && exec 9<> "$work/mps/control"
on_device 4 CUDA_MPS_PIPE_DIRECTORY="$work/mps" EMULATED_MPS=1 && [ "$calls" = "$alone $alone $alone $alone" ]
result $? "four under MPS: as many as one process ($calls)"
exec 9>&-
on_device 4 CUDA_MPS_PIPE_DIRECTORY="$work/mps" EMULATED_MPS=1 && [ "$calls" = "0 0 0 0" ]
result $? "but not where nobody listens ($calls)"
on_device 4 MUBLAS_OFFLOAD=always && [ "$calls" = "40 40 40 40" ]
result $? "in always mode all go there"
echo "1..$number"

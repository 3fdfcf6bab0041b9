#!/bin/bash
# `mublas doctor`: thirteen lines on a sound machine; each state that is wrong is produced, found, and told with
# advice.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_RECIPE
unset NO_COLOR container APPTAINER_CONTAINER SINGULARITY_CONTAINER KUBERNETES_SERVICE_HOST CUDA_VISIBLE_DEVICES
if [ -n "$sanitizers" ]; then
    echo "1..0 # SKIP a sanitized library cannot be loaded by the command that is started anew"
    exit 0
fi
use_emulated_system
export HOME=$work/home XDG_CONFIG_HOME=$work/home/config
mkdir -p "$XDG_CONFIG_HOME/mublas"
subjects="driver device kernels residency container host_BLAS cuBLAS cuSOLVER ScaLAPACK MPS service recipe test_product"

# doctor [SETTING=VALUE...] [PROGRAM BEFORE IT...]
doctor()
{
    env "$@" "${doctor_command:-$build/mublas}" doctor > "$work/output" 2> "$work/errors"
    status=$?
}
# The lines of findings, in order, whatever they say; those of settings are there only where one is wrong.
complete()
{
    local told
    told=$(sed -nE 's/^(ok|WRONG|-) +(host BLAS|test product|[a-zA-Z]+) .*/\2/p' "$work/output" |
        grep -v '^settings$' | tr ' \n' '_ ')
    [ "$told" = "$subjects " ] &&
        [ "$(grep -c '^WRONG' "$work/output")" = "$(grep -c '^ .* do: [a-z]' "$work/output")" ]
}
good() { grep -qE "^ok +$1 +$2" "$work/output"; }
# wrong SUBJECT TEXT ADVICE: its line, and the next one
wrong()
{
    grep -A 1 -E "^WRONG +$1 .*$2" "$work/output" | sed -n 2p | grep -qE "do: .*$3"
}
alone() { [ "$(grep -c '^WRONG' "$work/output")" = 1 ]; }
unchecked()
{
    local subject
    for subject; do grep -qE "^- +$subject +not checked: " "$work/output" || return 1; done
}
# A build's gaps are told without a device, too.
if [ ! -f "$build/src/gpu/kernels/kernels.fatbin" ]; then
    kernels_without_device() { wrong kernels 'no kernels in this build' 'build mublas where nvcc is on PATH'; }
else
    kernels_without_device() { unchecked kernels; }
fi
# finds STATUS SUBJECT TEXT ADVICE [SETTING=VALUE...]: this alone is wrong
finds()
{
    doctor "${@:5}"
    [ $status = "$1" ] && complete && alone && wrong "$2" "$3" "$4"
    result $? "$2: $3"
}

doctor
[ $status = 0 ] && complete && [ "$(wc -l < "$work/output")" = 13 ] &&
    [ "$(grep -c '^ok' "$work/output")" = 13 ] && [ ! -s "$work/errors" ]
result $? "a sound machine: thirteen lines"
good driver 'libcuda.so.1, for CUDA 13.0' && good device '0: Emulated device, .* GiB; chosen by default' &&
    good 'host BLAS' '/.*libblas.so.3 .*the slow reference.*LAPACK: /.*liblapack' &&
    good cuSOLVER '12.0.4, .* with .*libcublas' && good service 'none runs for this environment' &&
    good 'test product' 'dsymv,dgemm on the device agree with the host, to [0-9.]+ eps'
result $? "they say what was found"
"$build/mublas" doctor now > "$work/output" 2> "$work/errors"
[ $? = 2 ] && grep -q "^mublas doctor: 'now'" "$work/errors" && [ "$(wc -l < "$work/errors")" = 1 ]
result $? "an argument is refused"

mkdir "$work/mps" "$work/path"
mkfifo "$work/mps/control"
exec 9<> "$work/mps/control"
ln -s /bin/true "$work/path/nvidia-cuda-mps-control"
doctor CUDA_MPS_PIPE_DIRECTORY="$work/mps" && good MPS "it runs, with its pipes in $work/mps"
result $? "MPS: it runs"
exec 9>&-
doctor CUDA_MPS_PIPE_DIRECTORY="$work/mps" PATH="$work/path:$PATH" &&
    good MPS "it is installed \($work/path/nvidia-cuda-mps-control\) and does not run"
result $? "MPS: it has ended"
cp tests/system/.libs/harmless_library.so "$work/path/libscalapack.so.2"
doctor LD_LIBRARY_PATH="$work/path:$LD_LIBRARY_PATH" && good ScaLAPACK '.*libscalapack.so.2'
result $? "ScaLAPACK: its name"
doctor OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=4
[ $status = 0 ] && good ranks 'this is rank 1 of 4 here \(OMPI_COMM_WORLD_LOCAL_RANK\); 1 device; 4 ranks share this one$'
result $? "ranks: how many share a device under a launcher"

doctor MUBLAS_CUDA_DRIVER=/nowhere/libcuda.so.1
[ $status = 3 ] && complete && wrong driver /nowhere/libcuda.so.1 'correct MUBLAS_CUDA_DRIVER' &&
    unchecked device cuBLAS cuSOLVER recipe 'test product' && kernels_without_device
result $? "driver: not there; what depends on it is not checked"
doctor MUBLAS_CUDA_DRIVER=libm.so.6
[ $status = 3 ] && complete && wrong driver 'too old: it has no cuInit' 'newer driver' && unchecked device
result $? "driver: a function is missing"
doctor EMULATED_FAULTS=cuInit:1:999:sticky
[ $status = 3 ] && complete && wrong driver 'cannot be started: CUDA_ERROR_UNKNOWN' 'nvidia-smi' &&
    unchecked device
result $? "driver: it cannot be started"
doctor CUDA_VISIBLE_DEVICES=none container=
[ $status = 3 ] && complete && wrong device 'shows no device' 'CUDA_VISIBLE_DEVICES' && kernels_without_device
result $? "device: none is visible"
doctor MUBLAS_DEVICE=3
[ $status = 3 ] && complete && wrong device 'MUBLAS_DEVICE names device 3, but there is 1,' 'smaller number'
result $? "device: there are fewer"
doctor EMULATED_FAULTS=cuDeviceGet:1:101
[ $status = 3 ] && complete && wrong device 'device 0 does not answer' 'nvidia-smi'
result $? "device: it does not answer"
doctor EMULATED_FAULTS=cuModuleLoadData:1:209
[ $status = 1 ] && complete && alone && wrong kernels '(no kernels in this build|cannot be woken)' 'build mublas' &&
    unchecked cuBLAS cuSOLVER 'test product'
result $? "kernels: they cannot be loaded"

finds 1 residency MUBLAS_TRACKING=0 'unset MUBLAS_TRACKING' MUBLAS_TRACKING=0
cp tests/system/.libs/harmless_library.so "$work/libxpmem.so.0"
finds 1 residency 'written unseen' MUBLAS_TRUST_TRACKING=1 LD_PRELOAD="$work/libxpmem.so.0"
doctor container=podman tests/system/without_userfaultfd
if [ $status = 77 ]; then
    skip "residency: userfaultfd is refused" "no filter can be set here"
else
    [ $status = 1 ] && complete && alone &&
        wrong residency 'userfaultfd: Operation not permitted' 'seccomp profile allow userfaultfd'
    result $? "residency: userfaultfd is refused by a container"
fi
doctor container=podman
[ $status = 0 ] && complete && good container 'podman, with the GPU'
result $? "container: it has the GPU"
doctor container=podman MUBLAS_DEVICE=3
[ $status = 3 ] && complete && good container 'podman, with the GPU'
result $? "container: a wrong MUBLAS_DEVICE is no fault of it"
doctor container=podman CUDA_VISIBLE_DEVICES=none
[ $status = 3 ] && complete && unchecked container
result $? "container: nor is CUDA_VISIBLE_DEVICES"
doctor container=podman MUBLAS_CUDA_DRIVER=/nowhere/libcuda.so
[ $status = 3 ] && complete && wrong container 'podman, without a GPU' 'podman run --gpus all'
result $? "container: it has none"

finds 1 'host BLAS' 'MUBLAS_HOST_BLAS=/nowhere/libblas.so is not used' 'unset MUBLAS_HOST_BLAS' \
    MUBLAS_HOST_BLAS=/nowhere/libblas.so
# Files that the loader refuses, under every name that mublas looks for.
mkdir "$work/none"
for name in $(cd "$source_tree/src" && grep -ohE '"lib[A-Za-z0-9_-]+\.so[.0-9]*"' host/host_search.c \
    host/host_search.c command/lapack_call.c | tr -d '"'); do
    echo "no library" > "$work/none/$name"
done
doctor MUBLAS_CUDA_DRIVER=/nowhere/libcuda.so.1 LD_LIBRARY_PATH="$work/none" \
    unshare -rm sh -c "mount --bind '$work/none/libblas.so.3' '$host_blas' 2> /dev/null || exit 77
        exec \"\$@\"" sh
if [ $status = 3 ]; then
    complete && wrong 'host BLAS' 'none is found' libopenblas0-pthread
    result $? "host BLAS: none is found"
else
    skip "host BLAS: none is found" "the reference BLAS cannot be hidden here (unshare)"
fi
finds 1 cuBLAS 'there is no /nowhere/libcublas.so' 'unset MUBLAS_CUBLAS' MUBLAS_CUBLAS=/nowhere/libcublas.so
finds 1 cuBLAS 'cannot be used: level 3' 'not newer than the driver' EMULATED_FAULTS=cublasCreate_v2:1:1
finds 1 cuSOLVER 'there is no /nowhere/libcusolver.so' 'unset MUBLAS_CUSOLVER' \
    MUBLAS_CUSOLVER=/nowhere/libcusolver.so
finds 1 cuSOLVER 'cannot be used: LAPACK' 'not newer than the driver' EMULATED_SOLVER_DETERMINISM=refused
finds 1 recipe '/nowhere/recipe is not used: No such file' 'mublas tune' MUBLAS_RECIPE=/nowhere/recipe
echo "no recipe" > "$XDG_CONFIG_HOME/mublas/recipe"
finds 1 recipe 'config/mublas/recipe is not used: ' 'mublas tune'
rm "$XDG_CONFIG_HOME/mublas/recipe"
finds 1 'test product' 'device and host differ' 'mublas verify' \
    MUBLAS_HOST_BLAS="$build/tests/system/.libs/rough_blas.so"
finds 1 'test product' 'dsymv stayed on the host' 'mublas verify' EMULATED_FAULTS=KERNEL:1
finds 1 'test product' 'MUBLAS_OFFLOAD=never' 'unset MUBLAS_OFFLOAD' MUBLAS_OFFLOAD=never
finds 1 'test product' 'out of device memory, of which MUBLAS_DEVICE_MEMORY=0 lets' 'unset MUBLAS_DEVICE_MEMORY' \
    MUBLAS_DEVICE_MEMORY=0
finds 1 settings "MUBLAS_OFFLOAD='bogus' is not auto.always.never; using auto" 'correct or unset MUBLAS_OFFLOAD' \
    MUBLAS_OFFLOAD=bogus
doctor MUBLAS_DEVICE_MEMORY=much MUBLAS_VERBOSE=7 MUBLAS_OFLOAD=never
[ $status = 1 ] && complete && [ "$(grep -c '^WRONG' "$work/output")" = 3 ] &&
    [ "$(grep -c '^mublas: MUBLAS_' "$work/errors")" = 3 ] &&
    wrong settings "MUBLAS_DEVICE_MEMORY='much' is not" 'correct or unset MUBLAS_DEVICE_MEMORY' &&
    wrong settings "MUBLAS_VERBOSE='7'" 'unset MUBLAS_VERBOSE' &&
    wrong settings 'MUBLAS_OFLOAD is not a setting' 'unset MUBLAS_OFLOAD'
result $? "settings: each that is wrong, once"
mkdir "$work/damaged"
cp "$build/mublas" "$work/damaged" && echo "no library" > "$work/damaged/libmublas_shim.so"
doctor_command=$work/damaged/mublas
finds 1 'test product' 'no process can be run under the shim' 'install mublas anew'
doctor_command=

# On a terminal, by script(1) of Debian's bsdutils.
on_terminal()
{
    env "$@" script -qec "$build/mublas doctor" "$work/typescript" > "$work/output" 2>&1
    grep -q $'\033\[32mok' "$work/output"
}
if command -v script > /dev/null; then
    on_terminal TERM=xterm
    result $? "colours on a terminal"
    ! on_terminal TERM=xterm NO_COLOR=1 && ! on_terminal TERM=dumb && complete
    result $? "but not with NO_COLOR, nor on a terminal that has none"
else
    result 0 "colours on a terminal # SKIP there is no script(1)"
fi
doctor
! grep -q $'\033' "$work/output"
result $? "nor in a file"
echo "1..$number"

#!/bin/bash
# Several cuBLAS: one of which no handle can be made, one that is not whole, one that is good. And none at all:
# then level 3 wakes no device and pays for none.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/waking_recipe.sh"
unset MUBLAS_CUBLAS
export OMP_NUM_THREADS=1
use_reference_libraries
mkdir "$work/lib" && cp "$emulated_driver/libcuda.so.1" "$work/lib" || exit 1
export LD_LIBRARY_PATH=$work/lib:$LD_LIBRARY_PATH
write_waking_recipe "host dgemm_deep 1000 10000 100000000 10000" "device dgemm_deep 1000 10 100000000 10" || exit 1

# run [NAME=VALUE...] ARGUMENT...: of tests/system/waking
run()
{
    local variables=()
    while [[ $1 = *=* ]]; do variables+=("$1"); shift; done
    rm -f "$work/report" "$work/counts"
    env MUBLAS_RECIPE="$work/recipe" MUBLAS_REPORT="$work/report" EMULATED_COUNT_FILE="$work/counts" "${variables[@]}" \
        LD_PRELOAD="$shim_preload" tests/system/waking "$@" > "$work/output" 2> "$work/errors"
}
on_device() { awk -v name="$1" '$1 == name && $4 ~ /^[0-9]+$/ { sum += $3 } END { print sum + 0 }' "$work/report"; }
made()
{
    sed "" "$work/counts" 2> /dev/null | awk -v name="$1" '$1 == name { sum += $2 } END { print sum + 0 }'
}
lines() { grep -c '^mublas:' "$work/errors"; }

cp "$emulated_driver/libcublas.so.13" "$work/lib/libcublas.so.13"
cp tests/system/.libs/partial_cublas.so "$work/lib/libcublas.so.12"
run MUBLAS_OFFLOAD=always EMULATED_FAULTS=cublasCreate_v2:1:1 mixed 3
[ $? = 0 ] && [ "$(on_device dgemm)" = 0 ] && [ "$(on_device dsymv)" = 40 ] && [ "$(lines)" = 1 ] &&
    grep -q 'cuBLAS cannot be used; level 3 stays on the host (libcublas.so.13: .*status 1.*; libcublas.so.12: it lacks cublas' "$work/errors"
result $? "of two bad ones none is used, and one line says why"
grep -q 'not supported on the device' "$work/report"
result $? "which the report calls not supported"
cp "$emulated_driver/libcublas.so.13" "$work/lib/libcublas.so.11"
run MUBLAS_OFFLOAD=always EMULATED_FAULTS=cublasCreate_v2:1:1 mixed 3
[ $? = 0 ] && [ "$(on_device dgemm)" = 3 ] && [ "$(made cublasCreate_v2)" = 2 ] && [ "$(lines)" = 0 ]
result $? "they do not hide a good third"
run MUBLAS_OFFLOAD=always mixed 3
[ $? = 0 ] && [ "$(on_device dgemm)" = 3 ] && [ "$(made cublasCreate_v2)" = 1 ]
result $? "where the first one is good the others are not opened"
run MUBLAS_OFFLOAD=always MUBLAS_CUBLAS="$work/lib/libcublas.so.12" mixed 3
[ $? = 0 ] && [ "$(on_device dgemm)" = 0 ] && [ "$(on_device dsymv)" = 40 ] && [ "$(lines)" = 1 ]
result $? "one that was set is the only one"

# The prices are paid in full, as waking.sh has them.
run level3 60
[ $? = 0 ] && [ "$(on_device dgemm)" = 38 ] && [ "$(made cuInit)" = 1 ]
result $? "with cuBLAS dgemm wakes a device: $(on_device dgemm) of 60 calls on it"
never_woken() { grep -q 'device *not woken' "$work/report" && [ "$(made cuInit)" = 0 ]; }
run MUBLAS_CUBLAS=/nowhere/libcublas.so level3only 60
[ $? = 0 ] && never_woken && [ "$(lines)" = 1 ] && grep -q 'not supported on the device' "$work/report"
result $? "without one it never does"
run mixed 0
[ $? = 0 ] && [ "$(on_device dsymv)" = 23 ]
result $? "dsymv pays for a device by itself"
run mixed 4
[ $? = 0 ] && [ "$(on_device dsymv)" -gt 23 ]
result $? "earlier with the help of dgemm: $(on_device dsymv) of 40"
run MUBLAS_CUBLAS=/nowhere/libcublas.so mixed 4
[ $? = 0 ] && [ "$(on_device dsymv)" = 23 ]
result $? "which counts for nothing where there is no cuBLAS"

rm "$work"/lib/libcublas.so.*
if grep -qE 'libcublas\.so\.1[123]' <(/sbin/ldconfig -p 2> /dev/null) || ls /usr/local/cuda/lib64/libcublas.so.1* > /dev/null 2>&1; then
    echo "ok $((number += 1)) - without any file # SKIP this machine has a cuBLAS"
else
    run level3only 60
    [ $? = 0 ] && never_woken && [ "$(lines)" = 1 ] && grep -q 'cuBLAS was not found (libcublas.so.13, ' "$work/errors"
    result $? "nor where no file is found, which is said once"
    rm "$work/lib/libcuda.so.1"
    run level3only 60
    [ $? = 0 ] && [ "$(lines)" = 0 ] && grep -q 'device *not woken' "$work/report"
    result $? "but not on a machine without a driver, which misses nothing"
fi
echo "1..$number"

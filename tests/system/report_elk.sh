#!/bin/bash
# The page of a real program: Elk, where Debian's elk-lapw is. Each way to run it has its own reasons to stay on the
# host.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_RECIPE
[ -z "$sanitizers" ] || { echo "1..0 # SKIP Elk takes no sanitized library"; exit 0; }
command -v elk-lapw > /dev/null || { echo "1..0 # SKIP no elk-lapw (apt-get install elk-lapw)"; exit 0; }
use_emulated_driver
page=$work/elk.html
mkdir "$work/blas" && ln -s "$host_blas" "$work/blas/libblas.so.3" &&
    ln -s "$host_lapack_directory/liblapack.so.3" "$work/blas/liblapack.so.3"

run_elk() # SETTING=VALUE...
{
    rm -f "$page"
    env MUBLAS_REPORT="$page" "$@" "$source_tree/bench/programs/elk.py" tiny --threads 1 --blas "$work/blas" \
        --shim "$shim_preload" > "$work/output" 2> "$work/errors"
}
is_good() { python3 "$source_tree/tests/system/check_page.py" "$page"; }
advises() { grep -qE "^<li>$1" "$page"; }

run_elk MUBLAS_OFFLOAD=always && is_good &&
    grep -qE '<th scope="row">zhegvx</th><td>2</td><td>2</td><td>0</td>' "$page"
result $? "Elk on the device: the page has its eigenproblems there, and the text's figures and reasons"
run_elk MUBLAS_OFFLOAD=never && is_good && advises '.*because MUBLAS_OFFLOAD=never says so: .*zhegvx'
result $? "kept on the host"
run_elk MUBLAS_OFFLOAD=auto && is_good && advises '.*not yet paid for opening the GPU.*zhe(trd|gvx)'
result $? "too short to wake a device"
run_elk MUBLAS_CUDA_DRIVER=/nonexistent/libcuda.so.1 && is_good && advises 'No GPU could be used: '
result $? "without a driver"
echo "1..$number"

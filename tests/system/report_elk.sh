#!/bin/bash
# The page of a real program: Elk, from the pack that MUBLAS_TEST_APPS names (a folder with run_app.sh and
# pack.tar.xz). Each way to run it has its own reasons to stay on the host.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_TEST_SHIM MUBLAS_OFFLOAD MUBLAS_REPORT MUBLAS_RECIPE
apps=$MUBLAS_TEST_APPS
[ -z "$sanitizers" ] || { echo "1..0 # SKIP the pack's programs take no sanitized library"; exit 0; }
[ -n "$apps" ] && [ -e "$apps/pack.tar.xz" ] ||
    { echo "1..0 # SKIP MUBLAS_TEST_APPS names no folder with Elk (run_app.sh, pack.tar.xz)"; exit 0; }
python3 -c 'import html.parser' 2> /dev/null || { echo "1..0 # SKIP no python3 to read pages"; exit 0; }
use_emulated_driver
page=$work/elk.html
export SHIM=$shim_preload REPORT=$page PACK=$work/pack THREADS=1 BLASDIR=$work/blas
mkdir "$BLASDIR" && ln -s "$host_blas" "$BLASDIR/libblas.so.3" &&
    ln -s "$host_lapack_directory/liblapack.so.3" "$BLASDIR/liblapack.so.3"

run_elk() # SETTING=VALUE...
{
    rm -rf "$page" "$work/run"
    env WORK="$work/run" "$@" bash "$apps/run_app.sh" elk tiny > "$work/output" 2> "$work/errors"
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

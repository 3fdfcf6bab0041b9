#!/bin/bash
# Kinds of host BLAS that are not just a library in the search order: one that passes
# calls on to a backend, one that nobody else can see, and one of each real kind that is at hand.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/hosts/hosts.sh"
unset MUBLAS_TEST_HOSTS
use_emulated_driver
modules=$build/tests/system/.libs
mkdir "$work/flexiblas" "$work/mublas"
ln -s "$modules/fake_flexiblas.so" "$work/flexiblas/libblas.so.3"
ln -s "$build/src/interpose/.libs/libblas.so.3" "$work/mublas/libblas.so.3"

# run LIBRARIES PRELOAD COMMAND...
run()
{
    local folders=$1 preload=$2
    shift 2
    rm -f "$work/report"
    LD_LIBRARY_PATH=$folders:$LD_LIBRARY_PATH FAKE_BACKEND=$host_blas MUBLAS_OFFLOAD=always MUBLAS_REPORT=$work/report \
        LD_PRELOAD=$preload "$@" > "$work/output" 2> "$work/errors" && [ ! -s "$work/errors" ]
}
bound_to() { grep -q "^  host BLAS .*$1.* ($2)" "$work/report"; }
on_device() { [ "$(awk '$1 == "total" { print $3 }' "$work/report")" = "$1" ]; }

run "$work/flexiblas" "$shim_preload" tests/system/load_plugin "$modules/plugin.so" &&
    bound_to /fake_flexiblas '.*' &&
    on_device 2 && grep -qx '3 calls passed on' "$work/output"
result $? "a BLAS that passes calls on to a backend, under the shim: two calls on the device, it has the others"
run "$work/flexiblas" "$shim_preload" env MUBLAS_OFFLOAD=never tests/system/load_plugin "$modules/plugin.so" &&
    bound_to /fake_flexiblas '.*' && grep -qx '5 calls passed on' "$work/output"
result $? "the same with nothing offloaded: it has all calls"
run "$work/mublas" "$sanitizer_preload" env MUBLAS_HOST_BLAS="$work/flexiblas/libblas.so.3" \
    tests/system/load_plugin "$modules/plugin.so" && bound_to /fake_flexiblas 'set by MUBLAS_HOST_BLAS' &&
        on_device 2 &&
    grep -qx '3 calls passed on' "$work/output"
result $? "the same as the host BLAS of libmublas.so"
run "$work/flexiblas" "$shim_preload" env FAKE_BACKEND="$work/mublas/libblas.so.3" MUBLAS_HOST_BLAS="$host_blas" \
    tests/system/load_plugin "$modules/plugin.so" && grep -qx '3 calls passed on' "$work/output" &&
        on_device 2
result $? "libmublas.so as its backend, under the shim: the work is done once"

run "$work" "$shim_preload" tests/system/load_plugin "$modules/plugin_own.so" &&
    grep -qx '1 of 1 threads right' "$work/output" && [ ! -e "$work/report" ]
result $? "a plug-in with a BLAS inside: runs as it did, none of its calls seen"

# Real ones, as the program's BLAS and as libmublas' host.
for name in $(host_names lp64); do
    if ! library=$(host_library "$name"); then
        skip "$name" "not there; $how_to_fetch"
        continue
    fi
    run "$(host_directories "$name")" "$shim_preload" tests/system/load_plugin "$modules/plugin.so" &&
        on_device 2 &&
        bound_to "/$(basename "${library%/*}")/" '.*'
    result $? "$name under the shim"
    run "$work/mublas:$host_extra_directory" "$sanitizer_preload" env MUBLAS_HOST_BLAS="$library" \
        tests/system/load_plugin "$modules/plugin.so" && on_device 2 &&
            bound_to "/$(basename "${library%/*}")/" 'set by MUBLAS_HOST_BLAS'
    result $? "$name as the host BLAS of libmublas.so"
done
echo "1..$number"

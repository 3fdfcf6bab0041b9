#!/bin/bash
# Nothing at load time that a program can notice, and nothing of a small call but its result.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/hosts/hosts.sh"
use_emulated_driver
modules=$build/tests/system/.libs

# start PRELOAD COMMAND...: its lines.
start()
{
    local preload=${sanitizer_preload:+$sanitizer_preload:}$1
    shift
    rm -f "$work/report"
    LD_PRELOAD=$preload timeout 60 "$@" > "$work/output" 2> "$work/errors"
}
quiet() { [ ! -s "$work/errors" ]; }
# The host's own constructors ask for the same without mublas: not its doing.
as_without() { head -n 2 "$work/output" | cmp -s - "$work/bare"; }
starts_clean() { grep -qx 'errno 0 dlerror none flags 0' "$work/output"; }
ends_clean() { tail -n 2 "$work/output" | tr '\n' ' ' | grep -qx 'calls right then none '; }
bound_to() { grep -q "^  host BLAS .*/$1.* ($2)" "$work/report"; }
device_calls() { [ "$(awk '$1 == "total" { print $3 }' "$work/report")" = "$1" ]; }

# The program's own malloc is one too many where the sanitizers have theirs.
if [ -n "$sanitizers" ]; then
    skip "a program's own malloc, errno, dlerror and flags when it begins" "$sanitizers: malloc is not the program's"
else
    start "" tests/system/start && cp "$work/output" "$work/bare" &&
        grep -qx 'malloc 0 calloc 0 realloc 0 free 0' "$work/bare" && starts_clean
    result $? "without mublas a program that has no BLAS allocates nothing before main"
    for mode in auto always never; do
        start "$shim" env MUBLAS_OFFLOAD=$mode MUBLAS_REPORT="$work/report" tests/system/start && quiet && as_without
        result $? "nor does it with the shim, and errno, dlerror() and flags are as they were: $mode"
    done
    start "$shim" env MUBLAS_OFFLOAD=perhaps MUBLAS_UNKNOWN=1 MUBLAS_RECIPE="$(printf '%8000s' x)" tests/system/start &&
        quiet && as_without
    result $? "nor with settings that are wrong, unknown and long"
    start "$shim:$modules/many_keys.so" tests/system/start && quiet && as_without
    result $? "nor where the keys are taken for which threads have room"
    start "$build/.libs/libmublas.so" tests/system/start && quiet && as_without
    result $? "nor with libmublas.so"
    for name in $(host_names lp64); do
        if ! library=$(host_library "$name"); then
            skip "$name" "not there; $how_to_fetch"
            continue
        fi
        LD_LIBRARY_PATH=$emulated_driver:$(host_directories "$name")
        export LD_LIBRARY_PATH
        start "$library" tests/system/start && cp "$work/output" "$work/bare" &&
            start "$shim:$library" env MUBLAS_REPORT="$work/report" tests/system/start calls && quiet && as_without && ends_clean &&
            bound_to "$(basename "${library%/*}")/" "next in the program's search order"
        result $? "the same with $name, bound at load; and no error is left behind by calls"
        start "$shim:$library" env MUBLAS_OFFLOAD=always MUBLAS_CUDA_DRIVER=/nonexistent.so tests/system/start calls && as_without &&
            ends_clean && grep -q 'cannot open ./nonexistent.so' "$work/errors"
        result $? "$name, and no driver: no error is left behind"
    done
fi
LD_LIBRARY_PATH=$emulated_driver
use_reference_libraries
if [ -z "$sanitizers" ]; then
    start "$shim:$host_blas" tests/system/start unread && quiet && grep -qx 'then its own' "$work/output"
    result $? "an error of the program's that it has not read is there after small calls"

    start "$shim" tests/system/start calls && quiet && starts_clean && ends_clean
    result $? "where the program brings no BLAS, the search for one leaves no error behind"
    start "$build/.libs/libmublas.so" tests/system/start calls && quiet && starts_clean && ends_clean
    result $? "nor does libmublas.so's"
    start "$shim" env MUBLAS_HOST_BLAS="libm.so.6:/nonexistent:$host_blas" tests/system/start calls && starts_clean && ends_clean
    result $? "nor one in which libraries failed"

    for preload in "$shim:$host_blas" "$shim" "$build/.libs/libmublas.so"; do
        start "$preload" env MUBLAS_OFFLOAD=always MUBLAS_REPORT="$work/report" tests/system/start changed && quiet && ends_clean &&
            device_calls 2
        result $? "settings are those that the program was started with: it overwrites and clears its environment (${preload##*/})"
    done
    start "$shim:$host_blas" env MUBLAS_OFFLOAD=perhaps tests/system/start changed && ends_clean &&
        [ "$(cat "$work/errors")" = "mublas: MUBLAS_OFFLOAD='perhaps' is not auto|always|never; using auto" ]
    result $? "one that is wrong is named at the first call, small as it is"
fi

start "$shim:$modules/opening_library.so" env OPENED="$host_blas" MUBLAS_REPORT="$work/report" tests/system/load_default && quiet &&
    bound_to '' 'already loaded by the program'
result $? "a BLAS that a constructor opened for itself alone is not next in the search order"
start "$shim:$modules/indirect_blas.so" env MUBLAS_REPORT="$work/report" tests/system/load_default && quiet &&
    bound_to indirect_blas "next in the program's search order"
result $? "a routine of which the library itself tells the code, when it is called"

if [ -n "$sanitizers" ]; then
    skip "a fork's child" "$sanitizers: its run-time library takes locks of its own in there"
else
    for preload in "$shim" "$build/.libs/libmublas.so"; do
        start "$preload" tests/system/fork_listing && quiet && grep -qx 'ended 3 of 3' "$work/output"
        result $? "ioctl, mremap and prctl need no lock that a fork's child may find taken (${preload##*/})"
    done
fi

# Each routine's first call, by preload, and once more when a recipe was looked for.
for what in filter trap both; do
    for large in "" large; do
        for report in 0 "$work/report"; do
            [ -z "$sanitizers" ] || continue
            start "$shim" env MUBLAS_REPORT="$report" tests/system/first_call $what $large && quiet &&
                [ "$(grep -c right "$work/output")" = 6 ]
            status=$?
            [ $status != 77 ] || { skip "$what" "no seccomp here"; continue; }
            result $status "small calls under a strict ${what/both/filter and trap}${large:+ after large ones}$([ "$report" = 0 ] || echo ', counted')"
        done
    done
done
echo "1..$number"

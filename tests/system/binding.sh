#!/bin/bash
# How the shim finds the host BLAS, early, late and not at all.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
# The last resort.
configured=0 otherwise='found under a well-known name'
[ -z "$configured_host_blas" ] || configured=1 otherwise='the configured default'
modules=$build/tests/system/.libs
use_emulated_system

# Run COMMAND under the shim; its output and errors go to files.
under() # SHIM COMMAND...
{
    local preload=${sanitizer_preload:+$sanitizer_preload:}$1
    shift
    LD_PRELOAD=$preload MUBLAS_REPORT=$work/report "$@" > "$work/output" 2> "$work/errors"
}
quiet() { [ ! -s "$work/errors" ]; }
lines() { [ "$(wc -l < "$work/errors")" = "$1" ]; }
bound_to() { grep -q "^  host BLAS .*/$1.* ($2)" "$work/report"; }

for threads in 1 16; do
    rm -f "$work/report"
    under "$shim" tests/system/load_plugin "$modules/plugin.so" $threads && quiet &&
        bound_to libblas 'in the dependencies of the library that called'
    result $? "late binding to a BLAS that a plug-in brought along, $threads threads at once"
done

rm -f "$work/report"
under "$shim:$modules/plugin.so" tests/system/load_plugin "$modules/plugin.so" && quiet &&
    bound_to libblas "next in the program's search order"
result $? "a library constructor calls BLAS before the shim's own constructor"

rm -f "$work/report"
under "$shim:$host_blas" timeout 30 tests/system/load_plugin "$modules/joining_plugin.so" && quiet &&
    bound_to libblas "next in the program's search order"
result $? "a constructor with the loader's lock waits for a thread that calls BLAS"

cp "$shim" "$work/second.so"
rm -f "$work/report"
under "$shim:$work/second.so" tests/system/load_plugin "$modules/plugin.so" && quiet &&
    bound_to libblas '.*'
result $? "two copies of mublas in a process do not bind to each other"

rm -f "$work/report"
under "$shim" env MUBLAS_HOST_BLAS="$modules/fake_blas.so" tests/system/odd_signature &&
    quiet && bound_to fake_blas 'set by MUBLAS_HOST_BLAS'
result $? "MUBLAS_HOST_BLAS binds where the program has none; any arguments pass, counted"
LD_PRELOAD=$shim_preload MUBLAS_HOST_BLAS=$modules/fake_blas.so tests/system/odd_signature > /dev/null
result $? "and uncounted"
LD_PRELOAD=$shim_preload:$modules/fake_blas.so tests/system/odd_signature > /dev/null
result $? "and bound by the constructor"

rm -f "$work/report"
under "$shim" env MUBLAS_HOST_BLAS="$modules/fake_blas.so" tests/system/load_plugin "$modules/plugin.so" &&
    bound_to libblas 'in the dependencies of the library that called' && lines 1 &&
    grep -q "^mublas: MUBLAS_HOST_BLAS=$modules/fake_blas.so is not used: the program brings .*/libblas" "$work/errors"
result $? "the program's own BLAS comes before MUBLAS_HOST_BLAS, and a line says so"

under "$shim" env MUBLAS_HOST_BLAS="$modules/fake_blas.so" tests/system/odd_signature dgemmtr_
[ $? = 2 ] && grep -q '^no dgemmtr_ in this process' "$work/errors"
result $? "the shim does not answer for a name outside its table"
( ulimit -c 0; under "$shim" env MUBLAS_HOST_BLAS="$modules/fake_blas.so" tests/system/odd_signature zher2_ ) 2> /dev/null
[ $? = 134 ] && lines 1 && grep -q "^mublas: .*fake_blas.so has no zher2_" "$work/errors"
result $? "a routine that the host lacks: one line that names both, then abort"

rm -f "$work/report"
under "$shim" env MUBLAS_HOST_BLAS="$work/nowhere.so" tests/system/load_default
[ $? = 0 ] && lines 1 && grep -q "^mublas: MUBLAS_HOST_BLAS: cannot use $work/nowhere.so" "$work/errors" &&
    bound_to libblas "$otherwise"
result $? "a host BLAS that cannot be opened: one line, then $otherwise"
under "$shim" env MUBLAS_HOST_BLAS="$shim" tests/system/load_default
[ $? = 0 ] && lines 1 &&
    grep -q "^mublas: MUBLAS_HOST_BLAS: cannot use $shim .*: it is mublas itself" "$work/errors"
result $? "mublas itself as the host BLAS: one line"
under "$shim" env MUBLAS_HOST_BLAS="libm.so.6:$host_blas" tests/system/load_default && lines 1 &&
    grep -q "^mublas: MUBLAS_HOST_BLAS: cannot use libm.so.6 .*: it has no BLAS" "$work/errors" &&
    bound_to libblas 'set by MUBLAS_HOST_BLAS'
result $? "several libraries in MUBLAS_HOST_BLAS: the first that serves"

# Nothing but rubbish under the well-known names, and no other default.
mkdir "$work/rubbish"
for name in libblas.so.3 libopenblas.so.0 libblis.so.4 libmkl_rt.so.3 libmkl_rt.so.2 libflexiblas.so.3 libtatlas.so.3 libsatlas.so.3 \
    libcblas.so.3 libf77blas.so.3 libopenblas64_.so.0 libblas64_.so.3 libblas.so libopenblas.so libopenblas64_.so; do
    echo rubbish > "$work/rubbish/$name"
done
case $host_blas in
*/*) LC_ALL=C sed "s|$host_blas|$(echo "$host_blas" | sed 's/^..../\/no-/')|g" "$shim" > "$work/stranded.so" ;;
*) cp "$shim" "$work/stranded.so" ;;
esac
( ulimit -c 0; LD_LIBRARY_PATH=$work/rubbish under "$work/stranded.so" tests/system/load_default ) 2> /dev/null
[ $? = 134 ] && lines $((1 + configured)) &&
    grep -q '^mublas: no host BLAS found for ddot_.*MUBLAS_HOST_BLAS' "$work/errors"
result $? "no host BLAS at all: one line, then abort"
under "$shim" /bin/true && quiet && [ ! -s "$work/output" ]
result $? "a program without BLAS notices nothing"
echo "1..$number"

#!/bin/bash
# A LAPACK that is another library than the BLAS, and a part of one, as R has it: what it has is intercepted
# and bound to it, what it lacks stops no program that does not call it, or has it from elsewhere. Other names
# likewise.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
export WHOLE_LAPACK=$host_lapack_directory/liblapack.so.3
[ -e "$WHOLE_LAPACK" ] || { echo "1..0 # SKIP there is no $WHOLE_LAPACK"; exit; }

# build FILE SOURCE ARGUMENT...: not instrumented, as other people's; parts are found where they are.
build()
{
    $compiler -O1 -fno-lto -o "$work/$1" "$source_tree/tests/system/$2" "${@:3}" -Wl,-rpath,"$work" -lm -ldl \
        2> "$work/errors" || { echo "Bail out! cannot build $1"; cat "$work/errors"; exit 1; }
}
part() { build "$1" lapack_part.c -shared -fPIC -Wl,-soname,"$1" "${@:2}"; }
blas=(-L"$host_blas_directory" -l:libblas.so.3)
scipy=(-DPREFIX=scipy_ -DSUFFIX=_)
scipy64=(-DINTEGER=long -DPREFIX=scipy_ -DSUFFIX=_64_)
part libRlapack.so -DHAS_dsyevr -DHAS_dpotrf -DHAS_ilaver
part libcholesky.so -DHAS_dpotrf -DHAS_ilaver
part libeigen.so -DHAS_dsyevd -DHAS_dgeev -DHAS_ilaver
part libold.so -DHAS_dsyevr -DHAS_dpotrf
part libscipy.so -DHAS_dsyevr -DHAS_dpotrf "${scipy[@]}"
part libscipy64.so -DHAS_dsyevr -DHAS_dpotrf "${scipy64[@]}"

# on MODE COMMAND...: through the shim
on()
{
    local mode=$1
    shift
    rm -f "$work/report"
    LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=$mode MUBLAS_REPORT=$work/report "$@" > "$work/output" 2> "$work/errors" &&
        [ ! -s "$work/errors" ]
}
right() { [ "$(grep -c 'right$' "$work/output")" = "$1" ] && ! grep -q wrong "$work/output"; }
# device ROUTINE...: each was called once, there
device()
{
    local routine
    for routine; do
        awk -v name="$routine" '
            $1 == name { found = $2 == 1 && $3 == 1; exit }
            END { exit !found }' "$work/report" || return 1
    done
}
lapack_is() { grep -q "^  host LAPACK .*/$1" "$work/report"; }

users=(-DHAS_dsyevr -DHAS_dpotrf)
build part lapack_user.c "${users[@]}" -DHAS_dgemm "$work/libRlapack.so" "${blas[@]}"
on always "$work/part" dsyevr dpotrf dgemm && right 3 && device dsyevr dpotrf dgemm &&
    lapack_is libRlapack.so &&
    grep -q '^  host BLAS .*/libblas' "$work/report"
result $? "a LAPACK with dsyevr and dpotrf, apart from the BLAS: both on the device"
on never "$work/part" dsyevr dpotrf dgemm && right 3
result $? "switched off: what the whole LAPACK behind it calls of its own, it gets of its own"
build cholesky lapack_user.c -DHAS_dpotrf "$work/libcholesky.so"
on always "$work/cholesky" dpotrf && right 1 && device dpotrf && lapack_is libcholesky.so
result $? "one without any eigensolver, and no BLAS at all"
build both lapack_user.c "${users[@]}" -DHAS_dsyevd -DHAS_dgeev "$work/libRlapack.so" "$work/libeigen.so"
on always "$work/both" dsyevr dsyevd dpotrf && right 3 && device dsyevr dsyevd dpotrf &&
    lapack_is libRlapack.so
result $? "what it lacks is taken from a second part"
on always "$work/both" dgeev && right 1 && ! device dgeev
result $? "dgeev without a dgebal beside it stays there"
build old lapack_user.c "${users[@]}" "$work/libold.so"
on always "$work/old" dsyevr dpotrf && right 2 && ! device dsyevr &&
    grep -q 'width of the library' "$work/report"
result $? "one that does not tell the width of its integers: the host"

# Plug-ins that bring it along, opened with RTLD_LOCAL; lazily bound to dgeev, which nobody has.
# opener PLUGIN ROUTINE... [-- PLUGIN ROUTINE...]...
cat > "$work/opener.c" <<'C'
#include <dlfcn.h>
#include <string.h>
int main(int count, char **names)
{
    for (int first = 1, next; first < count; first = next + 1) {
        void *plugin = dlopen(names[first], RTLD_LAZY | RTLD_LOCAL);
        for (next = first; next < count && strcmp(names[next], "--") != 0; next++)
            ;
        if (!plugin || ((int (*)(int, char **))dlsym(plugin, "run"))(next - first, names + first) != 0)
            return 1;
    }
    return 0;
}
C
$compiler -o "$work/opener" "$work/opener.c" -ldl
plugin() { build "$1" lapack_user.c -shared -fPIC -Dmain=run "${@:2}" -Wl,-z,lazy; }
plugin stats.so "${users[@]}" -DHAS_dgeev "$work/libRlapack.so"
on always "$work/opener" "$work/stats.so" dsyevr dpotrf && right 2 && device dsyevr dpotrf &&
    lapack_is libRlapack.so
result $? "a plug-in with such a LAPACK: both on the device, though it could call what is nowhere"
( ulimit -c 0; on always "$work/opener" "$work/stats.so" dgeev ) 2> /dev/null
[ $? != 0 ] && [ "$(grep -c . "$work/errors")" = 1 ] &&
    grep -q 'host LAPACK .*/libRlapack.so has no dgeev_' "$work/errors"
result $? "it calls that: one line that says so"
plugin flapack.so "${users[@]}" "${scipy[@]}" "$work/libscipy.so"
on always "$work/opener" "$work/flapack.so" dsyevr dpotrf && right 2 && device scipy_dsyevr_ scipy_dpotrf_ &&
    lapack_is libscipy.so
result $? "a plug-in with names of SciPy's"
plugin flapack64.so "${users[@]}" "${scipy64[@]}" "$work/libscipy64.so"
on always "$work/opener" "$work/flapack64.so" dsyevr dpotrf && right 2 &&
    device scipy_dsyevr_64_ scipy_dpotrf_64_ &&
    lapack_is libscipy64.so
result $? "and with those of 64-bit integers"
plugin whole.so "${users[@]}" -DHAS_dsyevd "$WHOLE_LAPACK"
$compiler -o "$work/opener_with_part" "$work/opener.c" -Wl,--no-as-needed "$work/libRlapack.so" "${blas[@]}" \
    -Wl,-rpath,"$work" -ldl
for mode in always never; do
    on $mode "$work/opener_with_part" "$work/whole.so" dsyevr dsyevd dpotrf && right 3 &&
        lapack_is libRlapack.so &&
        { [ $mode = never ] || device dsyevr dsyevd dpotrf; }
    result $? "mode $mode: a plug-in with a whole one in a program with a part: it gets the rest from its own"
done
part libwide.so -DINTEGER=long -DHAS_dsyevd -DHAS_ilaver
plugin wide.so -DINTEGER=long -DHAS_dsyevd "$work/libwide.so"
for order in "whole wide" "wide whole"; do
    set -- $order
    on always "$work/opener_with_part" "$work/$1.so" dsyevd -- "$work/$2.so" dsyevd && right 2 &&
        [ "$(awk '$1 == "dsyevd" { print $2, $3; exit }' "$work/report")" = "2 2" ]
    result $? "and so does one whose own has 64-bit integers beside it ($order)"
done

# Look-up at run time is the same as without mublas.
probe=tests/system/routes/plain
names="dsyevr_ dpotrf_ ilaver_ dgetrf_ zheevr_ dsyevr_64_ scipy_dsyevr_ scipy_dpotrf_64_"
for library in libRlapack.so libscipy.so libscipy64.so; do
    if [ ! -x $probe ]; then
        result 0 "a program's own look-up in $library # SKIP configure found no LAPACK to link"
        continue
    fi
    $probe probe "$work/$library" $names > "$work/plain"
    on always $probe probe "$work/$library" $names && cmp "$work/plain" "$work/output" &&
        grep -q found "$work/output" && grep -q not "$work/output"
    result $? "a program's own look-up in $library finds what is there"
done
echo "1..$number"

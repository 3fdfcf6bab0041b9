#!/bin/bash
# The words of `mublas info -- PROGRAM` on small programs, each made for one case. Their BLAS is a few empty functions:
# nothing of them is ever run but by the loader's own list, which the command's is compared with.
. tests/environment.sh
[ -z "$libelf_missing" ] || { echo "1..0 # SKIP built without libelf: $libelf_missing"; exit 0; }
. "$source_tree/tests/tap.sh"
unset LD_LIBRARY_PATH LD_PRELOAD MUBLAS_REPORT
cd "$work" || exit 1
mkdir lib bin

cat > blas.c <<'C'
#ifndef VISIBILITY
#define VISIBILITY "default"
#endif
__attribute__((visibility(VISIBILITY))) void dsymv_(void) {}
__attribute__((visibility(VISIBILITY))) void dger_(void) {}
__attribute__((visibility(VISIBILITY))) void idamax_(void) {}
C
cat > use.c <<'C'
#ifndef VISIBILITY
#define VISIBILITY "default"
#endif
__attribute__((visibility(VISIBILITY))) void dsymv_(void);
__attribute__((visibility(VISIBILITY))) void dger_(void);
void use(void);
void use(void) { dsymv_(); dger_(); }
C
echo 'void use(void); int main(void) { use(); return 0; }' > main.c
echo '#include <dlfcn.h>
int main(void) { return dlopen("plugin.so", RTLD_NOW) == 0; }' > opener.c

build() { $compiler -fPIC -O1 -fno-lto "$@" 2>> errors ||
    { echo "Bail out! cannot build: $*"; cat errors; exit 1; }; }
build -shared -Wl,-soname,libmini.so -o lib/libmini.so blas.c
build -c -o blas.o blas.c
ar rc libblas.a blas.o
link=(-Llib -lmini -Wl,--no-as-needed)

info() { "$build/mublas" info "$@" > output 2> errors; }
# tells PATTERN...: whole text of the output has them all, in any order; nothing else on standard error.
tells()
{
    local pattern
    [ ! -s errors ] || return 1
    for pattern in "$@"; do
        grep -qE -- "$pattern" output || { echo "# misses: $pattern"; return 1; }
    done
}
lacks() { ! grep -qE -- "$1" output; }
# The last line, which is the only one of its kind.
verdict() { [ "$(grep -c '^verdict: ' output)" = 1 ] && tail -n 1 output | grep -qE "^verdict: $1"; }

build -o bin/linked main.c use.c "${link[@]}" -Wl,-rpath,'$ORIGIN/../lib',--enable-new-dtags
info -- bin/linked &&
    tells '^program: bin/linked ' '^host BLAS: .*/bin/../lib/libmini.so, found by RUNPATH for bin/linked$' \
    '2 routines as NAME_, 1 of which can run on the GPU' && lacks "cannot be"
result $? "a linked program: its host by RUNPATH and \$ORIGIN, what it calls, what of that can run on the GPU"
info --verbose bin/linked &&
    tells '^      ?(dger_ dsymv_|dsymv_ dger_)$' '^  .*/lib/libmini.so, found by RUNPATH$'
result $? "--verbose names routines and libraries"
info -- bin/linked && verdict 'yes: 1 routine that it calls comes to mublas and can run on the GPU$'
result $? "the verdict of a program whose calls come to mublas"
info -- lib/libmini.so && verdict 'it is a BLAS or LAPACK itself'
result $? "of a BLAS"
info -- bin/linked --verbose 2 && tells '2 routines as' && lacks 'dsymv_'
result $? "the program's own arguments are ignored"

build -o bin/linked_rpath main.c use.c "${link[@]}" -Wl,-rpath,'${ORIGIN}/../lib',--disable-new-dtags
mkdir other && cp lib/libmini.so other
LD_LIBRARY_PATH=$work/other info -- bin/linked_rpath && tells 'lib/libmini.so, found by RPATH '
result $? "RPATH comes before LD_LIBRARY_PATH"
LD_LIBRARY_PATH=/nowhere:$work/other info -- bin/linked && tells 'other/libmini.so, found by LD_LIBRARY_PATH '
result $? "which comes before RUNPATH"
mkdir broken && echo 'no library' > broken/libmini.so
LD_LIBRARY_PATH=$work/broken info -- bin/linked && tells 'lib/libmini.so, found by RUNPATH '
result $? "a file of that name that is no library is passed over"
build -o bin/linked_nowhere main.c use.c "${link[@]}"
info -- bin/linked_nowhere && tells '^the loader does not find libmini.so, which bin/linked_nowhere needs$' \
    'for 2 routines as NAME_, which no library here defines: .*dsymv_'
result $? "a library that the loader would not find is named"
echo 'void dger_64_(void), cblas_dger(void), cblas_dger_64(void), dsymv_(void), use(void);
void use(void) { dger_64_(); cblas_dger(); cblas_dger_64(); dsymv_(); }' > forms.c
build -shared -o lib/forms.so forms.c
wide=$build/tests/system/.libs/wide_plain.so
NARROW_BLAS=$host_blas MUBLAS_HOST_BLAS=$host_blas:$wide info -- lib/forms.so &&
    [ "$(grep -c "^host BLAS: .*, set by MUBLAS_HOST_BLAS" output)" = 4 ] &&
    [ "$(grep -c "^host BLAS: $wide, .*, by plain names, which take 64-bit integers in it" output)" = 2 ]
result $? "a host for each form of a name, as the program would get it"
LD_PRELOAD=${sanitizer_preload:+$sanitizer_preload:}$work/lib/libmini.so info -- bin/linked_nowhere &&
    tells '^host BLAS: .*/libmini.so, found by LD_PRELOAD$'
result $? "one that is preloaded serves"

build -o bin/static_blas main.c use.c libblas.a
info -- bin/static_blas &&
    tells '^intercepted: nothing' 'bin/static_blas: 3 routines: ' 'linked statically into it, and hidden'
result $? "a BLAS linked statically into a program"
verdict 'no: its BLAS or LAPACK cannot be intercepted, as said above$'
result $? "its verdict"
strip -o bin/stripped bin/static_blas
info -- bin/stripped && tells 'stripped: a BLAS linked statically into it does not show'
result $? "where the program is stripped, that it would not show"
build -shared -o lib/libuser.so use.c
build -o bin/exporting main.c -Wl,--whole-archive libblas.a -Wl,--no-whole-archive -rdynamic \
    -Llib -luser -Wl,-rpath,"$work/lib"
info -- bin/exporting && tells 'bin/exporting: 3 routines: ' 'exported: the loader asks the program' \
    'libuser.so: 2 routines: ' 'finds them in the program itself' '^intercepted: nothing'
result $? "a program that exports its BLAS takes its libraries' calls too"
# C names that pass their calls on by Fortran names are no BLAS.
echo 'void dsymv_(void), dger_64_(void), zdotc_(void), cblas_dsymv(void), cblas_dger(void), cblas_zdotc_sub(void);
void cblas_dsymv(void) { dsymv_(); }
void cblas_dger(void) { dger_64_(); }
void cblas_zdotc_sub(void) { zdotc_(); }' > wrapper.c
echo 'void cblas_dsymv(void), cblas_dger(void), cblas_zdotc_sub(void), use(void);
void use(void) { cblas_dsymv(); cblas_dger(); cblas_zdotc_sub(); }' > use_c.c
sed 's/idamax_/zdotc_/; $a void dger_64_(void) {}' blas.c > wide_blas.c
build -shared -Wl,-soname,libpassed.so -o lib/libpassed.so wide_blas.c
passed=(-Llib -lpassed -Wl,-rpath,"$work/lib",--no-as-needed)
build -o bin/wrapping main.c use_c.c wrapper.c "${passed[@]}"
info -- bin/wrapping && tells '^intercepted:' '2 routines as NAME_, 1 of' '1 routine as NAME_64_ ' &&
    lacks 'cannot be'
result $? "a program's own C names that call the Fortran routines are wrappers, no static BLAS"
build -shared -o lib/libuser_c.so use_c.c
build -o bin/exporting_wrapper main.c wrapper.c -rdynamic "${passed[@]}" -luser_c
info -- bin/exporting_wrapper && tells '2 routines as NAME_, 1 of' && lacks 'cannot be'
result $? "also where it exports them and its libraries call them"
build -shared -Wl,-Bsymbolic -o lib/libwrapping.so use_c.c wrapper.c "${passed[@]}"
info -- lib/libwrapping.so && tells '2 routines as NAME_, 1 of' && lacks 'cannot be'
result $? "and in a library linked with -Bsymbolic"
echo '__attribute__((visibility("hidden"))) void dsymv_(void) {}' > half.c
build -o bin/half_wrapping main.c use_c.c wrapper.c half.c "${passed[@]}"
info -- bin/half_wrapping &&
    tells '1 routine as NAME_, 0 of' 'bin/half_wrapping: 2 routines: ' 'cblas_dsymv' 'linked statically into it, and hidden'
result $? "but not those whose Fortran routine is in it as well"
if build -static -o bin/static main.c use.c libblas.a; then
    info -- bin/static &&
        tells 'statically linked\)' 'it has no loader that could preload mublas' 'bin/static: 3 routines: '
    result $? "a statically linked program"
    verdict 'no, mublas gets none of its calls: it is statically linked'
    result $? "its verdict"
fi

build -shared -o lib/libown.so blas.c use.c
info -- lib/libown.so && tells '^library: ' '^  defines 3 routines as NAME_$' '2 routines as NAME_,' &&
    lacks 'cannot be'
result $? "a library that defines a BLAS and calls it through the loader is intercepted"
build -shared -Wl,-Bsymbolic -o lib/libsymbolic.so blas.c use.c
info -- lib/libsymbolic.so && tells '^intercepted: nothing' '3 routines: ' 'linked with -Bsymbolic:'
result $? "not so with -Bsymbolic"
build -shared -Wl,-Bsymbolic-functions -o lib/libfunctions.so blas.c use.c
info -- lib/libfunctions.so && tells '^intercepted: nothing' '3 routines: ' 'as by -Bsymbolic-functions'
result $? "nor with -Bsymbolic-functions"
build -shared -DVISIBILITY='"protected"' -o lib/libprotected.so blas.c use.c
info -- lib/libprotected.so && tells '^intercepted: nothing' '3 routines: ' 'protected symbols'
result $? "nor with protected symbols"
build -shared -DVISIBILITY='"hidden"' -o lib/libhidden.so blas.c use.c
info -- lib/libhidden.so &&
    tells '^intercepted: nothing' '3 routines: ' 'linked statically into it, and hidden'
result $? "nor with hidden ones"
sed 's/dsymv_/scipy_cblas_daxpy64_/; s/dger_/cblas_dger/' use.c > wheel.c
sed 's/dsymv_/scipy_cblas_daxpy64_/; s/dger_/cblas_dger/' blas.c > wheel_blas.c
build -shared -Wl,-soname,libscipy_openblas64_-1234.so -o lib/libscipy_openblas64_-1234.so wheel_blas.c
build -shared -o lib/extension.so wheel.c lib/libscipy_openblas64_-1234.so -Wl,-rpath,'$ORIGIN'
info -- lib/extension.so && tells 'host BLAS: .*libscipy_openblas64_-1234.so, found by RUNPATH' \
    '  for 1 routine as scipy_cblas_NAME64_ \(64-bit integers\)$' \
    '1 routine as scipy_cblas_NAME64_ \(64-bit integers\), [01] of which' '1 routine as cblas_NAME, 0 of which'
result $? "a wheel's extension and its prefixed OpenBLAS"

build -o bin/opener opener.c -ldl
info -- bin/opener &&
    tells '^host BLAS: neither it nor its libraries link one' '^intercepted: nothing' 'opened at run time \(by bin/opener\)' RTLD_DEEPBIND
result $? "a program that opens its libraries: they are found then"
verdict 'it calls no BLAS by itself; plug-ins that it loads and programs that it starts get mublas, too'
result $? "and its verdict is of them"
build -o bin/nothing main.c -DNOTHING -x c - <<< 'void use(void); void use(void) {}'
info -- bin/nothing && verdict 'no: it calls no BLAS or LAPACK$'
result $? "the verdict of a program without any"
build -o bin/little main.c -x c - -x none "${link[@]}" -Wl,-rpath,"$work/lib" <<< 'void idamax_(void), use(void); void use(void) { idamax_(); }'
info -- bin/little && verdict 'no: its calls come to mublas, but none of their routines can run on the GPU$'
result $? "and of one that calls only what stays on the host"
sed 's/dlopen(/dlmopen(LM_ID_NEWLM, /' opener.c > namespaces.c
build -D_GNU_SOURCE -o bin/namespaces namespaces.c -ldl
info -- bin/namespaces && tells 'bin/namespaces opens libraries by dlmopen'
result $? "and one that does it by dlmopen"
build -o bin/with_mublas main.c use.c "$shim" -Wl,-rpath,"${shim%/*}",--unresolved-symbols=ignore-in-shared-libs
info -- bin/with_mublas &&
    tells '^mublas: .*libmublas_shim.so, found by RUNPATH: calls come to it' 'with .* as host BLAS,' '2 routines as' \
    'which only mublas defines here: ' && lacks 'already loaded|which no library'
result $? "a program that is linked with mublas itself"

MUBLAS_HOST_BLAS=$host_blas:$wide NARROW_BLAS=$host_blas info -- "$build/tests/system/wide_program" &&
    tells "^  with $wide as host BLAS, set by MUBLAS_HOST_BLAS$" "^host BLAS: $wide, set by MUBLAS_HOST_BLAS$"
result $? "a program that is linked with mublas' libblas64.so.3: a host with such integers"

# LAPACK: which one, what is intercepted, what is left to it, what is lost.
echo 'void dsymv_(void), dsytrd_(void), dsyevd_(void), dsyevr_(void), dgtsv_(void);
void dsytrd_(void) { dsymv_(); }
void dsyevd_(void) {}
void dsyevr_(void) {}
void dgtsv_(void) {}' > lapack.c
echo 'void dsymv_(void), dsyevd_(void), dgtsv_(void), xerbla_(void), use(void);
void use(void) { dsymv_(); dsyevd_(); dgtsv_(); }' > use_lapack.c
build -shared -Wl,-soname,liblapack.so.3 -o lib/liblapack.so.3 lapack.c "${link[@]}" -Wl,-rpath,'$ORIGIN'
lapack=(-Llib -l:liblapack.so.3 "${link[@]}" -Wl,-rpath,"$work/lib")
build -o bin/lapack main.c use_lapack.c "${lapack[@]}"
info -- bin/lapack &&
    tells '^host BLAS: .*libmini.so, found by RUNPATH' '^host LAPACK: .*/lib/liblapack.so.3, found by RUNPATH' \
    "^  for 1 routine as LAPACK's NAME_\$" "^    1 routine as LAPACK's NAME_, 1 of which can run on the GPU\$" \
    '^LAPACK that is left to the host as a whole:$' '^  bin/lapack: 1 routine of .*/liblapack.so.3: dgtsv_$' && lacks 'cannot be'
result $? "a program with LAPACK: which it gets, what of it is intercepted and what is left to it"
info -- bin/linked && lacks LAPACK
result $? "nothing about LAPACK where none is called"
build -shared -o lib/lapack_user.so use_lapack.c
info -- lib/lapack_user.so &&
    tells '^host LAPACK: (/.*, |none found)' "1 routine as LAPACK's NAME_, which no library here defines: dsyevd_"
result $? "a LAPACK that mublas finds by itself"
build -c -o lapack.o lapack.c
rm -f liblapack.a && ar rc liblapack.a lapack.o
build -o bin/static_lapack main.c use_lapack.c liblapack.a "${link[@]}" -Wl,-rpath,"$work/lib"
info -- bin/static_lapack &&
    tells 'bin/static_lapack: 3 LAPACK routines: dsyevd_ dsyevr_ dsytrd_' 'a LAPACK is linked statically into it, and hidden' \
    '1 routine as NAME_, 1 of which' && lacks 'a BLAS is linked statically' && lacks '^host LAPACK'
result $? "a LAPACK linked statically into a program is lost, the BLAS calls in it are not"
verdict 'in part: 1 routine that it calls comes to mublas and can run on the GPU; others cannot be intercepted'
result $? "its verdict"
build -o bin/exporting_lapack main.c use_lapack.c liblapack.a -rdynamic "${link[@]}" -Wl,-rpath,"$work/lib"
info -- bin/exporting_lapack &&
    tells 'a LAPACK is linked statically into the program, and exported' '1 routine as NAME_, 1 of which'
result $? "also one that it exports"
mublas=("$build/.libs/libmublas.so" -Wl,-rpath,"$build/.libs")
build -o bin/before main.c use_lapack.c "${mublas[@]}" "${lapack[@]}"
info -- bin/before &&
    tells '^mublas: .*/libmublas.so.0, found by RUNPATH' '^host LAPACK: .*/lib/liblapack.so.3' &&
    lacks 'comes before it'
result $? "-lmublas before -llapack"
build -o bin/behind main.c use_lapack.c "${lapack[@]}" "${mublas[@]}"
info -- bin/behind && tells '^mublas: ' '^  but .*/lib/liblapack.so.3 comes before it: LAPACK is called there'
result $? "and behind it, where LAPACK is not mublas' unless that is preloaded"
mkdir passing && ln -s "$build/src/interpose/lapack/liblapack.so.3" passing/liblapack.so.3
ln -s "$build/src/interpose/.libs/libblas.so.3" passing/libblas-mublas.so.3
ln -s "$work/lib/liblapack.so.3" passing/liblapack-host.so.3
LD_LIBRARY_PATH=$work/passing info -- bin/lapack &&
    tells '^mublas: .*/passing/liblapack.so.3, found by LD_LIBRARY_PATH: LAPACK calls come to it' \
        '^host LAPACK: .*/passing/liblapack-host.so.3, found by LD_LIBRARY_PATH' "1 routine as LAPACK's NAME_" \
        'bin/lapack: 1 routine of .*/liblapack-host.so.3: dgtsv_' && lacks 'comes before it|mublas_route'
result $? "liblapack.so.3 of mublas: the LAPACK behind it is the host"

# ScaLAPACK: what of it can run on the GPU, and what keeps calls away.
echo 'void pdsyevd_(void), pzgemm_(void), pdlange_(void), dsymv_(void);
void pdsyevd_(void) { pzgemm_(); dsymv_(); }
void pzgemm_(void) {}
void pdlange_(void) {}' > scalapack.c
echo 'void pdsyevd_(void), pdlange_(void), use(void);
void use(void) { pdsyevd_(); pdlange_(); }' > use_scalapack.c
for name in scalapack-openmpi scalapack64-openmpi; do
    build -shared -Wl,-soname,lib$name.so.2 -o lib/lib$name.so.2 scalapack.c "${link[@]}" -Wl,-rpath,'$ORIGIN'
    build -o bin/$name main.c use_scalapack.c -Llib -l:lib$name.so.2 "${link[@]}" -Wl,-rpath,"$work/lib"
done
info -- bin/scalapack-openmpi &&
    tells '^parallel routines that can run on the GPU, ' '^  bin/scalapack-openmpi: 1 routine of .*/libscalapack-openmpi.so.2: pdsyevd_$' &&
    lacks 'cannot be|64 bits|ELPA|left to the host.*pdsyevd_|libscalapack-openmpi.so.2: 1 routine of'
result $? "a program with ScaLAPACK: which of its routines can run on the GPU"
info -- bin/scalapack64-openmpi && tells 'libscalapack64-openmpi.so.2: pdsyevd_$' '^    they stay on the host: their integers have 64 bits$'
result $? "one whose ScaLAPACK has 64-bit integers"
build -shared -Wl,-soname,libelpa.so.19 -o lib/libelpa.so.19 use_scalapack.c -Llib -l:libscalapack-openmpi.so.2 -Wl,-rpath,'$ORIGIN'
build -o bin/elpa main.c -Llib -l:libelpa.so.19 -Wl,-rpath,"$work/lib"
info -- bin/elpa && tells '^ELPA: .*/lib/libelpa.so.19: its eigensolvers stay on the host' '^  .*/libelpa.so.19: 1 routine of '
result $? "one with ELPA"
build -o bin/static_scalapack main.c use_scalapack.c scalapack.c "${link[@]}" -Wl,-rpath,"$work/lib"
info -- bin/static_scalapack && tells '^cannot be intercepted:$' '^  bin/static_scalapack: ScaLAPACK is linked statically into it' &&
    lacks 'parallel routines'
result $? "one that has ScaLAPACK inside itself"
build -c -fvisibility=hidden -o hidden_scalapack.o scalapack.c
build -shared -o lib/libhas_scalapack.so use_scalapack.c hidden_scalapack.o "${link[@]}"
info -- lib/libhas_scalapack.so && tells 'lib/libhas_scalapack.so: ScaLAPACK is linked statically into it'
result $? "a library that has it hidden inside"
info -- lib/libscalapack-openmpi.so.2 && lacks 'cannot be|parallel routines'
result $? "nothing of ScaLAPACK itself"

# Interpreters: their plug-ins, and what they start, where these lie.
for place in lib/python3.9/site-packages/numpy/linalg lib/python3.9/site-packages/scipy/linalg lib/R/bin/exec \
    lib/R/modules bin; do
    mkdir -p "prefix/$place"
done
cp bin/opener prefix/bin/python3
cp bin/opener prefix/bin/octave
for name in lib/python3.9/site-packages/numpy/linalg/_umath_linalg.some.so lib/R/modules/lapack.so; do
    build -shared -o prefix/$name use.c "${link[@]}" -Wl,-rpath,"$work/lib"
done
build -shared -Wl,-Bsymbolic -o prefix/lib/python3.9/site-packages/scipy/linalg/_fblas.some.so blas.c use.c
cp bin/linked prefix/lib/R/bin/exec/R
build -o prefix/bin/octave-cli main.c use.c "${link[@]}" -Wl,-rpath,"$work/lib"
printf '#!/bin/sh\n' | tee prefix/bin/R > script
ln -s octave-cli prefix/bin/octave-cli-9
LD_LIBRARY_PATH=$work/lib info -- prefix/bin/python3 && tells '^found for it .NumPy and SciPy., with mublas:$' \
    "^  $work/prefix/lib/.*/numpy/linalg/_umath_linalg.some.so: 2 routines, 1 of which can run on the GPU\$" \
    "^  $work/prefix/lib/.*/scipy/linalg/_fblas.some.so: 0 routines, .* others cannot be intercepted" &&
    verdict 'yes, by what it loads or starts: calls of up to 1 routine in the files above' && lacks '^intercepted: nothing$'
result $? "python3: what its plug-ins get"
mkdir -p venv/bin && ln -s "$work/prefix/bin/python3" venv/bin/python
LD_LIBRARY_PATH=$work/lib info -- venv/bin/python && tells "^  $work/prefix/lib/.*/_umath_linalg.some.so: 2 routines"
result $? "also through a link, as of a virtual environment"
printf '#!%s\n' "$work/prefix/bin/python3" > script.py
info -- script.py && tells '^script: ./script.py' "_umath_linalg.some.so: 2 routines" && verdict 'yes, by what'
result $? "and a script of it"
LD_LIBRARY_PATH=$work/lib info -- prefix/bin/R && tells "^  $work/prefix/lib/R/bin/exec/R: 2 routines, 1 of" \
    "^  $work/prefix/lib/R/modules/lapack.so: 2 routines, 1 of" && verdict 'yes, by what it loads or starts'
result $? "R: the program behind its script, and its module"
info -- prefix/bin/octave && tells "^  $work/prefix/bin/octave-cli: 2 routines, 1 of" && verdict 'yes, by what' &&
    [ "$(grep -c 'octave-cli.*: 2 routines' output)" = 1 ]
result $? "octave: the program that it starts, once"
info -- ./script && tells '^script: ./script, run by ' &&
    verdict '/.* itself calls no BLAS; programs that the script starts get mublas, too, and each has its part in the report'
result $? "a script of the shell: what its children get"
cp bin/opener bin/python3
info -- bin/python3 && lacks 'found for it' && verdict 'it calls no BLAS by itself; plug-ins that it loads'
result $? "a python3 with no such plug-in beside it"

printf '#! %s -x\n' "$work/bin/linked" > a_script
info -- a_script && tells '^script: ./a_script, run by .*/bin/linked$' '2 routines as'
result $? "a script: its interpreter"
printf '#!/usr/bin/env -S A=b linked -x\n' > env_script
PATH=$work/bin:$PATH info -- env_script && tells '^script: ./env_script, run by .*/bin/linked$'
result $? "through env"
PATH=$work/bin:$PATH info -- linked && tells "^program: $work/bin/linked "
result $? "programs are searched for in PATH"
cp bin/linked bin/privileged && chmod u+s bin/privileged
info -- bin/privileged && tells 'set-user-id' && lacks '^intercepted'
result $? "a set-user-id program"
verdict 'no, mublas gets none of its calls: it is set-user-id'
result $? "its verdict"
{ printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0'; head -c 16 /dev/zero; printf '\64\0\40\0\0\0\50\0\0\0\0\0'; } > bin/32_bit
info -- bin/32_bit && tells '\(32-bit x86' 'built for another machine'
result $? "a 32-bit program"
cp bin/linked bin/foreign && printf '\363' | dd of=bin/foreign bs=1 seek=18 conv=notrunc 2> /dev/null
info -- bin/foreign && tells '\(RISC-V\)' 'built for another machine'
result $? "a program for another machine"

# The same libraries as the loader lists for itself.
compared=0 differing=
for program in "$build/fortran/eigensolver" /bin/ls /usr/bin/git /usr/bin/perl "$build/mublas" "$work/bin/exporting"; do
    [ -x "$program" ] || continue
    info --verbose "$program" || differing="$differing $program"
    sed -n '/^program/,/^[a-oq-z]/s/^  \(.*\), found .*/\1/p' output | xargs realpath | sort > ours
    LD_TRACE_LOADED_OBJECTS=1 "$program" | sed -n 's/.*=> \(.*\) (0x.*/\1/p; s/^\t\(\/.*\) (0x.*/\1/p' |
        xargs realpath | sort > theirs
    cmp -s ours theirs || { differing="$differing $program"; diff ours theirs | sed 's/^/# /'; }
    compared=$((compared + 1))
done
[ $compared -ge 3 ] && [ -z "$differing" ]
result $? "libraries of $compared programs are those that the loader lists${differing:+, but not of$differing}"
echo "1..$number"

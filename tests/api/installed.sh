#!/bin/bash
# The package as installed: examples in C and Fortran compile by pkg-config alone and give
# right results on the emulated device; the header is also C99, strictly, and C++.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
stage=$work/stage
make -s --no-print-directory -C "$build" install DESTDIR="$stage" > "$work/output" 2> "$work/errors"
result $? "make install DESTDIR"
find "$stage" -type d -empty > "$work/output"
[ ! -s "$work/output" ]
result $? "no folder that it makes is empty"
pages=$(dirname "$(find "$stage" -name README.md)")
named=$(grep -ohE '\bdoc/[a-z]+\.md|\b(COPYING|NEWS\.md)\b' "$source_tree/README.md" | sort -u)
missing=
for page in $named; do [ -s "$pages/$page" ] || missing+=" $page"; done
[ "$(wc -w <<< "$named")" -gt 10 ] && [ -z "$missing" ]
result $? "README.md and the pages that it names are installed as it names them${missing:+, but for$missing}"
description=$(find "$stage" -name mublas.pc)
if ! command -v pkg-config > /dev/null; then
    echo "1..$number # pkg-config is missing: nothing was compiled against the installed package"
    exit 0
fi
# As if the package lay where it was configured to.
prefix=$(PKG_CONFIG_PATH=${description%/*} pkg-config --variable=prefix mublas)
package() { PKG_CONFIG_PATH=${description%/*} pkg-config --define-variable=prefix="$stage$prefix" "$@" mublas; }
on_device()
{
    ( use_emulated_driver
      LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$(package --variable=libdir) LD_PRELOAD=$sanitizer_preload "$@" ) \
        > "$work/output" 2> "$work/errors"
}
# Without a word; the linker's are about the sanitizers' libraries.
compiled() { "$@" > "$work/output" 2> "$work/errors" && ! grep -v 'ld: .*libasan.*warning' "$work/errors"; }

examples=$stage$prefix/share/doc/mublas/examples
warnings="-Wall -Wextra -Wstrict-prototypes -pedantic -Werror"
compiled $compiler -std=c99 $warnings $(package --cflags) -o "$work/power" "$examples/power_iteration.c" \
    $(package --libs) -lm && on_device "$work/power" 100
result $? "the example in C, strictly C99: the right eigenvalue"
grep -q '^the last launch: [1-9]' "$work/output"
result $? "it reads what the last launch was"
refuses() # STATUS LINE COMMAND...: this line alone, but for sanitizers' that malloc fails
{
    ASAN_OPTIONS=$ASAN_OPTIONS:allocator_may_return_null=1 on_device "${@:3}"
    [ $? = "$1" ] && [ "$(grep -v Sanitizer "$work/errors")" = "$2" ]
}
size="N must be a whole number from 1 to 1000000000, not"
refuses 2 "power_iteration: $size 'x'" "$work/power" x &&
    refuses 2 "power_iteration: $size '12x'" "$work/power" 12x &&
    refuses 2 "power_iteration: $size '9999999999'" "$work/power" 9999999999 &&
    refuses 1 "power_iteration: out of memory: N = 1000000000 needs 7.45e+09 GiB" "$work/power" 1000000000
result $? "and says what is wrong with its argument"
printf '#include <mublas.h>\nint main() { return mublas_create(nullptr) == MUBLAS_BAD_ARGUMENT ? 0 : 1; }\n' > "$work/plus.cpp"
compiled ${CXX:-g++} -std=c++11 -Wall -Wextra -pedantic -Werror $(package --cflags) -o "$work/plus" "$work/plus.cpp" \
    $(package --libs) && on_device "$work/plus"
result $? "the header in C++"
version=$(printf '#include <mublas.h>\nMUBLAS_VERSION_MAJOR.MUBLAS_VERSION_MINOR.MUBLAS_VERSION_PATCH\n' |
    $compiler $(package --cflags) -E -P - | tail -n 1 | tr -d ' ')
[ "$version" = "$(package --modversion)" ]
result $? "header and package are of version $version"
missing=
for name in $(grep -oE 'mublas_[a-z_]+\(' "$stage$prefix/include/mublas.h" | tr -d '(' | sort -u); do
    grep -qE "$name([^a-z_]|\$)" "$stage$prefix/share/man/man3/mublas.3" || missing+=" $name"
done
[ -n "$name" ] && [ -z "$missing" ]
result $? "the manual page has every function of the header${missing:+, but for$missing}"

if command -v gfortran > /dev/null; then
    module=$(package --variable=fortran_module)
    compiled gfortran -std=f2008 -J "$work" -o "$work/lanczos" "$module" \
        "$examples/lanczos.f90" $(package --libs) && on_device "$work/lanczos" 100
    result $? "the example in Fortran: the right eigenvalue"
    size="N must be a whole number from 2 to 999999999, not"
    refuses 2 "lanczos: $size '12x'" "$work/lanczos" 12x &&
        refuses 2 "lanczos: $size ''" "$work/lanczos" '' &&
        refuses 1 "lanczos: out of memory: N = 999999999 needs  7.45E+09 GiB" "$work/lanczos" 999999999
    result $? "and says what is wrong with its argument"
    compiled gfortran -J "$work" -o "$work/every" "$module" "$source_tree/tests/api/every_routine.f90" \
        $(package --libs) && on_device "$work/every" && grep -qx 'all right' "$work/output"
    result $? "every routine of the Fortran module"
    export EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=3
    compiled gfortran -cpp -ffree-line-length-none -J "$work" -o "$work/every_eigen" "$module" \
        "$source_tree/tests/api/every_eigen_routine.f90" \
        $(package --libs) && on_device "$work/every_eigen" && grep -qx 'all right' "$work/output"
    result $? "every routine for eigenproblems"
    compiled gfortran -std=f2008 -J "$work" -o "$work/states" "$module" "$examples/lowest_states.f90" \
        $(package --libs) && on_device "$work/states" 60 && grep -q '^state 3: ' "$work/output"
    result $? "the eigenproblem in Fortran: the right values and vectors"
    refuses 2 "lowest_states: N must be a whole number from 6 to 20000, not '5'" "$work/states" 5
    result $? "and says what is wrong with its argument"
else
    skip "the Fortran module" "gfortran is missing"
fi
echo "1..$number"

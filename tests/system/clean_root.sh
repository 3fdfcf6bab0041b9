#!/bin/bash
# `make install`, a run and `make uninstall` by the lines of README.md and doc/install.md, in a layer above this
# machine's root: nothing is left behind. packaging/clean_root.sh does so in fresh roots, and with packages.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
# Files that install would make anew by the root's clock would stay in the build.
make -s --no-print-directory -q all-am > /dev/null 2>&1 ||
    { echo "Bail out! run make first: the build is not up to date"; exit 1; }
[ -x "$build/fortran/eigensolver" ] ||
    { echo "1..0 # SKIP there is no program to run: a Fortran compiler or LAPACK is missing"; exit; }
mkdir "$work/bin" && for tool in dirname readlink mkdir id; do ln -s "$(command -v $tool)" "$work/bin"; done
PATH=$work/bin "$BASH" "$source_tree/packaging/clean_root.sh" "$work/roots" > "$work/output" 2> "$work/errors"
[ $? = 77 ] && [[ $(tail -n 1 "$work/output") == SKIP:* ]] && [ ! -s "$work/errors" ] &&
    ! PATH=$work/bin "$BASH" "$source_tree/packaging/clean_root.sh" "$work/roots" rpm > "$work/output" 2> "$work/errors" &&
    grep -q "'rpm' is not a way" "$work/errors"
result $? "without a way it takes all three; another word is none"
bash "$source_tree/packaging/clean_root.sh" --layer "$build" > "$work/output" 2> "$work/errors"
status=$?
if [ $status = 77 ]; then
    echo "ok $((number + 1)) - by README.md # $(tail -n 1 "$work/output" | sed 's/^SKIP: /SKIP /')"
    echo "1..$((number + 1))"
    exit
fi
[ $status = 0 ] && grep -q '^--- used: [1-9]' "$work/output" && [ ! -s "$work/errors" ]
result $? "by README.md: installed, used and removed; nothing is left behind"
# Pages by which a file stays.
pages=$work/pages
mkdir -p "$pages/doc" "$pages/packaging" && cp "$source_tree"/packaging/{clean_root,roots}.sh "$pages/packaging"
cat > "$pages/README.md" << 'END'
    autoreconf -i && make install -n > /dev/null && cp mublas /usr/local/bin && cp .libs/libmublas_shim.so /usr/local/lib
END
echo "    make uninstall -n > /dev/null && rm /usr/local/bin/mublas" > "$pages/doc/install.md"
! bash "$pages/packaging/clean_root.sh" --layer "$build" > "$work/output" 2> "$work/errors" &&
    [ "$(grep '^differs' "$work/output")" = "differs: /usr/local/lib/libmublas_shim.so" ]
result $? "by pages that forget a file: that file is named"
echo "1..$number"

#!/bin/bash
# Scripts, manual pages and packages as their own checkers see them. Checkers that are not installed are skipped.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
[ -z "$sanitizers" ] || { echo "1..0 # SKIP nothing of this depends on sanitizers"; exit; }
cd "$source_tree" || exit 1

# with PROGRAM WHAT COMMAND...: no complaint
with()
{
    if command -v "$1" > /dev/null; then
        "${@:3}" > "$work/output" 2>&1 && [ ! -s "$work/output" ]
        result $? "$2"
    else
        skip "$2" "$1 is not installed"
    fi
}
# The project's scripts with "#!" of a shell: a checkout, or a tarball without its builds.
owned()
{
    git ls-files 2> /dev/null | grep . ||
        find . \( -path './b*/*' -o -path ./build-aux -o -path ./configure \) -prune -o -type f -print
}
mapfile -t files < <(owned | xargs grep -lIE -m 1 '^#! ?/bin/(ba)?sh( |$)')
portable=()
for file in "${files[@]}"; do
    read -r first < "$file"
    [[ $first != */sh* ]] || portable+=("$file")
done
[ ${#files[@]} -gt 50 ] && [ ${#portable[@]} -ge 3 ]
result $? "${#files[@]} scripts, of which ${#portable[@]} are for any shell"
# Every other one a day, or all by SCRIPTS_FULL=1: that takes twenty seconds.
sampled SCRIPTS_FULL=1
looked_at=()
for file in "${files[@]}" tests/tap.sh tests/environment.sh.in src/command/completion/mublas; do
    [ -z "$SCRIPTS_FULL" ] && ! in_sample 2 "$(cksum <<< "$file" | cut -d ' ' -f 1)" || looked_at+=("$file")
done
with shellcheck "shellcheck finds nothing in ${#looked_at[@]} of them" shellcheck "${looked_at[@]}"
with checkbashisms "nor does checkbashisms" checkbashisms -f "${portable[@]}"

pages() { local page; for page in man/*.[13]; do man --warnings -E UTF-8 -l "$page" > /dev/null; done; }
with man "manual pages render without a warning" pages
with mandoc "mandoc finds nothing wrong with them" mandoc -Tlint -Wwarning man/mublas.1 man/mublas.3

read_spec() { rpmspec -P packaging/mublas.spec > /dev/null; }
with rpmspec "the RPM spec can be read" read_spec
recipe=packaging/spack/packages/mublas/package.py
read_recipe() { python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' $recipe; }
with python3 "the Spack recipe can be read" read_recipe
read_module()
{
    tclsh <<TCL
foreach name {module-whatis conflict prepend-path append-path} { proc \$name args { lappend ::seen \$args } }
source $build/packaging/modulefile
if {[lsearch -glob \$seen "PATH *bin"] < 0} { puts "no PATH: \$seen" }
TCL
}
with tclsh "the module file sets PATH" read_module
# The shell's part of it.
awk '/^%/ { inside = $1 == "%post" } inside && !/^%/' packaging/mublas.def > "$work/post"
read_container() { [ "$(wc -l < "$work/post")" -gt 3 ] && shellcheck -s sh -e SC2154 "$work/post"; }
with shellcheck "shellcheck finds nothing in the Apptainer recipe's commands" read_container
# The Debian packages' own build takes nvcc and architectures from this one, unless the environment names others.
mkdir "$work/bin" && printf '#!/bin/sh\necho "$MUBLAS_CUDA, $MUBLAS_CUDA_ARCH"\n' > "$work/bin/dpkg-buildpackage" &&
    chmod +x "$work/bin/dpkg-buildpackage"
deb() { PATH=$work/bin:$PATH env -u MAKEFLAGS -u MFLAGS make -s --no-print-directory -C "$build" deb cuda_list="80 90" "$@"; }
[ "$(deb NVCC=/opt/one/bin/nvcc)" = "/opt/one, 80 90" ] && [ "$(deb NVCC=)" = "no, 80 90" ] &&
    [ "$(export MUBLAS_CUDA=/opt/other MUBLAS_CUDA_ARCH=90; deb NVCC=/opt/one/bin/nvcc)" = "/opt/other, 90" ]
result $? "make deb hands on the toolkit and the architectures"
rules() { MUBLAS_CUDA=$1 MUBLAS_CUDA_ARCH="80 90" env -u MAKEFLAGS -u MFLAGS make -n -f debian/rules override_dh_auto_configure | grep -qe "$2 --with-cuda-arch=\"80 90\"$"; }
configures() { rules /opt/one --with-cuda=/opt/one && rules no --without-cuda || echo "it does not"; }
with dpkg-architecture "and debian/rules gives them to configure" configures
version=$(sed -n 's/^AC_INIT(\[mublas\], \[\(.*\)\])$/\1/p' configure.ac)
[ -n "$version" ] && grep -q "^## $version " NEWS.md &&
    grep -q "^Version: *$version$" packaging/mublas.spec && grep -q "version(\"$version\")" $recipe &&
    [ "$(grep -lF "mublas-$version-" packaging/mublas.def README.md doc/install.md | wc -l)" = 3 ] &&
    head -n 1 debian/changelog | grep -qF "mublas ($version" &&
    [ "$(grep -h '^\.TH' man/*.[13] | grep -cF "\"mublas $version\"")" = 2 ]
result $? "everything is of version $version"
echo "1..$number"

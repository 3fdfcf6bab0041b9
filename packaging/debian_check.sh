#!/bin/bash
# What shows that the Debian packages are sound, in a fresh Debian made for it. As root, with debootstrap:
#   packaging/debian_check.sh FOLDER [SUITE]
# builds the packages without nvcc in a root made by debootstrap and runs lintian. In a second one it installs,
# uses, removes and purges them, compares all files before and after, and runs the packages' own tests.
# Exit status 0: all is well. Nothing outside FOLDER changes. KEEP_BUILD=1: with the packages that an earlier
# run built.
folder=$1 suite=${2:-bookworm}
[ -n "$folder" ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
mkdir -p "$folder" && folder=$(readlink -f "$folder") || exit 1
. packaging/roots.sh
builder=$folder/builder user=$folder/user

install_mublas()
{
    mkdir -p "$user/tmp/debs" && cp "$builder"/build/{mublas,libmublas0,libmublas-dev}_*.deb "$user/tmp/debs/"
    install "$user" $(in_root "$user" sh -c 'echo /tmp/debs/*.deb')
}
build()
{
    fresh "$builder"
    said "build packages, lintian"
    install "$builder" build-essential debhelper gfortran libblas-dev libelf-dev liblapack-dev pkg-config \
        lintian
    copy_sources "$builder/build/mublas"
    quietly build.log in_root "$builder" sh -c "cd /build/mublas && dpkg-buildpackage -us -uc"
    in_root "$builder" sh -c \
        'cd /build && lintian --allow-root --fail-on error,warning,info --display-info --pedantic *.changes' ||
        die "lintian finds something"
}

eigensolver() { in_root "$user" sh -c "cd /tmp && $1 ./eigensolver 200"; }
use()
{
    local triplet
    install_mublas
    grep 'libblas\|liblapack' "$folder/install.log"
    triplet=$(in_root "$user" sh -c 'echo /usr/lib/*/mublas' | cut -d / -f 4)
    cp "$builder/build/mublas/debian/build/fortran/eigensolver" "$user/tmp/eigensolver"
    in_root "$user" mublas doctor
    in_root "$user" man -w 3 mublas && in_root "$user" man -w mublas || die "a manual page is missing"
    ! grep -q '^[a-z]*-path' "$user/usr/share/mublas/modulefile" ||
        die "the module file puts folders of /usr in front"
    eigensolver "mublas run --report=r.html --" && [ -s "$user/tmp/r.html" ] || die "mublas run fails"
    for name in libblas.so.3 liblapack.so.3; do
        in_root "$user" readlink -f "/usr/lib/$triplet/$name" | grep -q "^/usr/lib/$triplet/mublas/" ||
            die "mublas is not the system's $name"
    done
    eigensolver || die "the eigensolver fails with mublas as the system's BLAS"
}
remove()
{
    local packages="mublas libmublas0 libmublas-dev"
    quietly remove.log in_root "$user" apt-get remove --autoremove $packages
    eigensolver > /dev/null || die "the eigensolver fails after apt-get remove"
    list_files "$user" > "$folder/removed"
    quietly purge.log in_root "$user" dpkg --purge $packages
    ! in_root "$user" dpkg -l | grep mublas || die "dpkg still knows a package"
    list_files "$user" > "$folder/after"
    diff "$folder/before" "$folder/removed" && diff "$folder/before" "$folder/after" ||
        die "something is left behind"
}
own_tests()
{
    install "$user" gcc libc6-dev libblas-dev liblapack-dev gfortran pkg-config python3-numpy \
        libopenblas0-pthread
    install_mublas
    cp -r debian/tests "$user/tmp/tests"
    for test in preloaded linked system-blas; do
        said "test $test"
        in_root "$user" sh -c "mkdir -p /tmp/$test && AUTOPKGTEST_TMP=/tmp/$test /tmp/tests/$test" ||
            die "the test $test fails"
    done
}

[ -n "$KEEP_BUILD" ] || build
fresh "$user"
install "$user" libblas3 liblapack3 libgfortran5 man-db
list_files "$user" > "$folder/before"
said "install and use"
use
said "remove and purge"
remove
said "nothing is left behind"
own_tests
said "all is well"

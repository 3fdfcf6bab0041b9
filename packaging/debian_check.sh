#!/bin/bash
# What shows that the Debian packages are sound, in a fresh Debian made for it. As root, with debootstrap:
#   packaging/debian_check.sh FOLDER [SUITE]
# makes FOLDER/root by debootstrap, unless it is there, builds the packages in it without nvcc, runs lintian and the
# packages' tests, then installs, uses, removes and purges them in a second fresh root and compares all files before
# and after. Exit status 0: all is well. Nothing outside FOLDER changes.
folder=$1 suite=${2:-bookworm}
[ -n "$folder" ] || { sed -n 's/^# \{0,1\}//p' "$0" | sed 1d >&2; exit 2; }
cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
mkdir -p "$folder" && folder=$(readlink -f "$folder") || exit 1
mirror=$DEBIAN_MIRROR # empty: debootstrap knows one

die() { echo "debian_check.sh: $*" >&2; exit 1; }
said() { echo "--- $*"; }
in_root() # ROOT COMMAND...
{
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$@"
}
mounted=()
leave() { local place; for place in "${mounted[@]}"; do umount "$place"; done; }
trap leave EXIT
enter() # ROOT: what programs in it need
{
    mount -t proc proc "$1/proc" && mounted+=("$1/proc")
    if [ ! -c "$1/dev/null" ]; then mknod -m 666 "$1/dev/null" c 1 3; fi
    cp /etc/resolv.conf /etc/hosts "$1/etc/" 2> /dev/null
}
fresh() # ROOT: a copy of what debootstrap made
{
    [ -f "$folder/base.tar" ] || {
        said "debootstrap $suite"
        debootstrap --variant=minbase "$suite" "$folder/base" $mirror > "$folder/debootstrap.log" 2>&1 ||
            die "debootstrap fails; see $folder/debootstrap.log"
        tar -C "$folder/base" -cf "$folder/base.tar" . && rm -rf "$folder/base"
    }
    rm -rf --one-file-system "$1" && mkdir -p "$1" && tar -C "$1" -xf "$folder/base.tar" || die "cannot make $1"
    enter "$1"
    in_root "$1" apt-get update > /dev/null || die "apt-get update fails in $1"
}
install() { in_root "$1" apt-get install -y --no-install-recommends "${@:2}" > "$folder/apt.log" 2>&1 || { tail -n 20 "$folder/apt.log" >&2; die "cannot install ${*:2}"; }; }
# Files and links, without what apt and dpkg note of every installation, caches and logs.
list_files()
{
    ( cd "$1" && find . -xdev \( -path ./proc -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/apt \
        -o -path ./var/lib/dpkg -o -path ./tmp -o -path ./root \) -prune -o \( -type l -printf '%p -> %l\n' -o -print \) ) | sort
}

# --- build ------------------------------------------------------------------
builder=$folder/builder
build()
{
    fresh "$builder"
    said "build packages, lintian"
    install "$builder" build-essential debhelper gfortran libblas-dev libelf-dev liblapack-dev pkg-config lintian
    mkdir -p "$builder/build/mublas"
    git ls-files -co --exclude-standard -z | tar --null -T - -cf - | tar -C "$builder/build/mublas" -xf -
    in_root "$builder" sh -c "cd /build/mublas && DEB_BUILD_OPTIONS=parallel=$(nproc) dpkg-buildpackage -us -uc" \
        > "$folder/build.log" 2>&1 || { tail -n 30 "$folder/build.log" >&2; die "dpkg-buildpackage fails; see $folder/build.log"; }
    in_root "$builder" sh -c 'cd /build && lintian --allow-root --fail-on error --tag-display-limit 0 *.changes' 2>&1 | tee "$folder/lintian.log"
    [ "${PIPESTATUS[0]}" = 0 ] || die "lintian finds errors"
}
[ -n "$KEEP_BUILD" ] || build

# --- install, use, remove ---------------------------------------------------
user=$folder/user
fresh "$user"
install "$user" libblas3 liblapack3 libgfortran5
list_files "$user" > "$folder/before"
said "install and use"
mkdir -p "$user/tmp/debs" && cp "$builder"/build/*.deb "$user/tmp/debs/"
cp "$builder/build/mublas/debian/build/fortran/eigensolver" "$user/tmp/eigensolver"
in_root "$user" sh -c 'apt-get install -y --no-install-recommends /tmp/debs/mublas_*.deb /tmp/debs/libmublas0_*.deb /tmp/debs/libmublas-dev_*.deb' \
    > "$folder/install.log" 2>&1 || { tail -n 20 "$folder/install.log" >&2; die "the packages cannot be installed"; }
grep 'libblas\|liblapack' "$folder/install.log"
in_root "$user" mublas doctor
in_root "$user" sh -c 'cd /tmp && mublas run --report=r.html -- ./eigensolver 200 && ls -l r.html' || die "mublas run fails"
triplet=$(in_root "$user" sh -c 'echo /usr/lib/*/mublas' | cut -d / -f 4)
in_root "$user" ldd /tmp/eigensolver | grep -q "/lib/$triplet/libblas.so.3" || die "the eigensolver has no libblas.so.3"
[ "$(in_root "$user" readlink -f "/usr/lib/$triplet/liblapack.so.3")" = "/usr/lib/$triplet/mublas/lapack/liblapack.so.3" ] ||
    die "mublas is not the system's liblapack.so.3"
in_root "$user" sh -c 'cd /tmp && ./eigensolver 200' || die "the eigensolver fails with mublas as the system's BLAS"
said "remove and purge"
in_root "$user" apt-get remove -y --autoremove mublas libmublas0 libmublas-dev > "$folder/remove.log" 2>&1 || die "apt remove fails"
in_root "$user" sh -c 'cd /tmp && ./eigensolver 200' > /dev/null || die "the eigensolver fails after apt remove"
list_files "$user" > "$folder/removed"
in_root "$user" dpkg --purge mublas libmublas0 libmublas-dev > "$folder/purge.log" 2>&1 || die "purge fails"
in_root "$user" dpkg -l | grep mublas && die "dpkg still knows a package"
list_files "$user" > "$folder/after"
diff "$folder/before" "$folder/removed" && diff "$folder/before" "$folder/after" || die "something is left behind"
said "nothing is left behind"

# --- the packages' tests ----------------------------------------------------
install "$user" gcc libc6-dev libblas-dev liblapack-dev gfortran pkg-config python3-numpy libopenblas0-pthread
cp -r debian/tests "$user/tmp/tests"
in_root "$user" sh -c 'apt-get install -y --no-install-recommends /tmp/debs/mublas_*.deb /tmp/debs/libmublas0_*.deb /tmp/debs/libmublas-dev_*.deb' \
    > "$folder/install.log" 2>&1 || die "the packages cannot be installed again"
for test in preloaded linked system-blas; do
    said "test $test"
    in_root "$user" sh -c "mkdir -p /tmp/$test && AUTOPKGTEST_TMP=/tmp/$test /tmp/tests/$test" || die "the test $test fails"
done
said "all is well"

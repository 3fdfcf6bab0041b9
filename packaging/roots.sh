# shellcheck shell=bash
# Sourced by scripts here that try mublas in a fresh Debian: roots made by debootstrap, as root, in $folder.
suite=${suite:-bookworm}
mirror=$DEBIAN_MIRROR # empty: debootstrap knows one

die() { echo "${0##*/}: $*" >&2; exit 1; }
said() { echo "--- $*"; }
in_root() # ROOT COMMAND...
{
    local certificates=()
    [ ! -f "$1/root/certificates.pem" ] || certificates=(PIP_CERT=/root/certificates.pem)
    env -i "${certificates[@]}" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive PIP_YES=1 PIP_ROOT_USER_ACTION=ignore MAKEFLAGS="-j$(nproc)" \
        DEB_BUILD_OPTIONS="parallel=$(nproc)" chroot "$@" < /dev/null
}
# quietly LOG COMMAND...: shows the end of the output of one that fails.
quietly()
{
    "${@:2}" > "$folder/$1" 2>&1 && return
    tail -n 20 "$folder/$1" >&2
    die "${*:2} fails; see $folder/$1"
}
mounted=()
leave() { local place; for place in "${mounted[@]}"; do umount "$place"; done; }
trap leave EXIT
# Why no root can be made here; nothing: one can.
why_no_root()
{
    if [ "$(id -u)" != 0 ]; then
        echo "this needs root"
    elif [ ! -f "$folder/base.tar" ] && ! command -v debootstrap > /dev/null; then
        echo "there is no debootstrap (apt-get install debootstrap)"
    fi
}
fresh() # ROOT: a copy of what debootstrap made
{
    if [ ! -f "$folder/base.tar" ]; then
        said "debootstrap $suite"
        quietly debootstrap.log debootstrap --variant=minbase "$suite" "$folder/base" $mirror
        tar -C "$folder/base" -cf "$folder/base.tar.new" . && mv "$folder/base.tar.new" "$folder/base.tar" &&
            rm -rf --one-file-system "$folder/base"
    fi
    rm -rf --one-file-system "$1"
    mkdir -p "$1" && tar -C "$1" -xf "$folder/base.tar" || die "cannot make $1"
    mount -t proc proc "$1/proc" && mounted+=("$1/proc")
    if [ ! -c "$1/dev/null" ]; then mknod -m 666 "$1/dev/null" c 1 3; fi
    cp /etc/resolv.conf /etc/hosts "$1/etc/" 2> /dev/null
    # Where this machine's connections are inspected on the way, its certificates know by whom.
    if [ -n "$SSL_CERT_FILE" ]; then cp "$SSL_CERT_FILE" "$1/root/certificates.pem"; fi
    echo 'APT::Get::Assume-Yes "true";' > "$1/etc/apt/apt.conf.d/answers"
    quietly update.log in_root "$1" apt-get update
}
install() # ROOT PACKAGE...
{
    quietly install.log in_root "$1" apt-get install --no-install-recommends "${@:2}"
}
copy_sources() # FOLDER: what belongs to the project of this checkout
{
    mkdir -p "$1"
    git ls-files -co --exclude-standard -z | tar --null -T - -cf - | tar -C "$1" -xf -
}
# list_files ROOT [PLACE...]: all files with their digests, folders and links, without the places, what apt and dpkg
# note of every installation, caches and logs. Python's caches are left out where they are not mublas'.
list_files()
{
    local left_out=(-path ./proc) place
    for place in var/cache var/log var/lib/apt 'var/lib/dpkg/[!a]*' var/lib/dpkg/available tmp root "${@:2}"; do
        left_out+=(-o -path "./$place")
    done
    ( cd "$1" && find . -xdev \( "${left_out[@]}" -o -name __pycache__ ! -path '*mublas*' \) -prune -o \
        \( -type l -printf 'link %p -> %l\n' -o -type d -printf 'folder %p %m %U\n' -o \
           -type f -exec sha256sum {} + -o -printf 'special %p\n' \) ) | sort -k 2
    chroot "$1" dpkg-query -W
}

#!/bin/bash
# Provide host BLAS libraries, Netlib's and ScaLAPACK's testers, NumPy and two Lisp systems for the tests, without installing
# anything (an installed BLAS would become the machine's libblas.so.3 under everybody):
# Debian packages are fetched by `apt-get download` and unpacked in a folder.
#
#   fetch.sh FOLDER [GROUP...]    GROUP: lp64 ilp64 testers python lisp scalapack (tests/hosts/packages),
#                                 wheel (NumPy and SciPy of PyPI); default: all
#
# Files that are there already are kept. Any user may run it; it needs apt-get, dpkg-deb, the network and, for the
# wheel, python3 with pip. Packages that cannot be had are named, and the tests that want them skip; the exit status is
# 1 then.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { echo "usage: fetch.sh FOLDER [GROUP...]" >&2; exit 2; }
folder=$1
shift
groups=" ${*:-lp64 ilp64 testers python lisp scalapack wheel} "
mkdir -p "$folder/packages" || exit 2
folder=$(readlink -f "$folder")
multiarch=$(gcc -print-multiarch 2> /dev/null || echo "$(uname -m)-linux-gnu")
missing=0 updated=

# fail NAME REASON
fail()
{
    echo "fetch.sh: no $1: $2" >&2
    missing=$((missing + 1))
}

last_line() { grep -vE '^(W:|Get:|Fetched)' "$1" | tail -n 1; }

# unpacked NAME FILE: is it there, and does the loader find all that it needs?
unpacked()
{
    local file=$folder/root/usr/lib/$2 lost
    [ -e "$folder/packages/$1" ] && [ -e "$file" ] || return 1
    case $2 in
    *.so*) lost=$(LD_LIBRARY_PATH=$(dirname "$file"):$folder/root/usr/lib/$multiarch ldd "$file" 2> /dev/null |
               awk '/not found/ && $1 !~ /^lib(blas|lapack)/ { print $1 }')
           [ -z "$lost" ] || { reason="it needs $lost, which this machine lacks"; return 1; } ;;
    esac
}

# Package lists may be missing or old: root gets new ones, once.
download() # PACKAGE...
{
    apt-get download "$@" > log 2>&1 && return
    [ "$(id -u)" = 0 ] && [ -z "$updated" ] || return 1
    updated=yes
    apt-get update > /dev/null 2>&1
    apt-get download "$@" > log 2>&1
}

# wanted FUNCTION: call it with NAME PACKAGE FILE for every package of the groups.
wanted()
{
    local group name package file
    while read -r group name package file; do
        [[ -n $group && $group != \#* && $groups == *" $group "* ]] || continue
        "$1" "$name" "$package" "${file/@/$multiarch}"
    done < "$here/packages"
}

note_lacking() { unpacked "$1" "$3" || lacking+=("$2"); }

# All by one call, which reads the lists of packages once; what it fails at, provide tries again alone.
download_all()
{
    local lacking=()
    wanted note_lacking
    [ ${#lacking[@]} = 0 ] || download "${lacking[@]}"
}

# provide NAME PACKAGE FILE
provide()
{
    local reason= archive
    unpacked "$1" "$3" && return
    archive=$(echo "$2"_*.deb)
    if [ ! -e "$archive" ] && ! download "$2"; then
        fail "$1" "apt-get download $2: $(last_line log)"
    elif ! dpkg-deb -x "$2"_*.deb "$folder/root" > log 2>&1; then
        fail "$1" "dpkg-deb: $(last_line log)"
    else
        basename "$2"_*.deb .deb > "$folder/packages/$1"
        unpacked "$1" "$3" || fail "$1" "${reason:-package $2 has no /usr/lib/$3}"
    fi
}

# provide_wheel MODULE FOLDER: the newest wheel that this python3 can use; it brings its own OpenBLAS.
provide_wheel()
{
    local log=$folder/$2.log
    [ -e "$folder/packages/$2" ] && return
    command -v "$python" > /dev/null || { fail "wheel of $1" "there is no $python"; return; }
    if ! "$python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --target "$folder/$2" --upgrade "$1" > "$log" 2>&1; then
        fail "wheel of $1" "pip: $(last_line "$log")"
        return
    fi
    rm -f "$log"
    basename "$folder/$2/$1"-*.dist-info .dist-info > "$folder/packages/$2"
}

python=${PYTHON:-/usr/bin/python3}
command -v apt-get > /dev/null ||
    { fail "packages" "there is no apt-get on this machine"; groups=${groups/ * /}; }
scratch=$folder/download
rm -rf "$scratch"
mkdir -p "$scratch" && cd "$scratch" || exit 2
download_all
wanted provide
cd "$folder" && rm -rf "$scratch"
if [[ $groups == *" wheel "* ]]; then
    provide_wheel numpy wheel
    provide_wheel scipy wheel-scipy
fi
exit $((missing > 0))

#!/bin/bash
# What shows that mublas comes and goes as README.md and doc/install.md say, in a fresh Debian, as root:
#   packaging/clean_root.sh FOLDER [make|deb|wheel]...
# makes a root by debootstrap (kept in FOLDER/base.tar) for each way, follows the lines of these pages as they stand
# there, runs a program by mublas on the emulated device, removes mublas and compares all files before and after.
# The wheel is the one that "deb" has left in FOLDER. Without nvcc.
#   packaging/clean_root.sh --layer BUILD
# does so for `make install` alone, in a layer above this machine's own root, with what is built in BUILD.
# Exit status 0: all is well; 77: it cannot be done here, and the last line says why.
usage() { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
layer_of='' given=$PWD
if [ "$1" = --layer ]; then layer_of=$2; shift; fi
[ -n "$1" ] && [[ $1 != -* ]] || usage
cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
folder=$1 ways=("${@:2}")
. packaging/roots.sh

# The line of a page's blocks of code that begins with these words, without its remark.
line_of() # PAGE WORDS
{
    local line
    line=$(grep -m 1 -e "^    $2" "$1") || die "$1 has no line that begins with '$2'"
    sed 's/^ *//; s/  *#.*//' <<< "$line"
}
# In the root's folder PLACE.
follow() # ROOT PLACE PAGE WORDS
{
    local line
    line=$(line_of "$3" "$4") || exit 1
    said "$line"
    quietly "${4//[ \/]/_}.log" in_root "$1" bash -c "cd $2 && $line"
}
skip() { echo "SKIP: $*"; exit 77; }

# On the emulated device; PREFIX: words before the program.
use() # ROOT DRIVER PROGRAM PREFIX
{
    in_root "$1" bash -c "$4 doctor" > "$folder/doctor" 2>&1
    [ $? -le 3 ] && grep -q ' test product ' "$folder/doctor" || { cat "$folder/doctor"; die "mublas doctor fails"; }
    quietly use.log in_root "$1" bash -c "cd /tmp && export LD_LIBRARY_PATH=$2 MUBLAS_OFFLOAD=always MUBLAS_RECIPE=none &&
        $4 run --report=report.txt -- $3"
    awk '$1 == "total" { found = $3 > 0 } END { exit !found }' "$1/tmp/report.txt" ||
        { cat "$1/tmp/report.txt"; die "nothing ran on the emulated device"; }
    said "used: $(awk '$1 == "total" { print $3 }' "$1/tmp/report.txt") calls on the emulated device"
    quietly serve.log in_root "$1" bash -c "cd /tmp && export LD_LIBRARY_PATH=$2 MUBLAS_OFFLOAD=always MUBLAS_RECIPE=none
        ( $4 serve --keep ) > serving.txt &
        until grep -q serves serving.txt; do sleep 0.1; kill -0 \$! || exit 1; done
        $4 run --report=served.txt -- $3 && $4 serve --stop"
    grep -q '^  service  *process [0-9]* has the device' "$1/tmp/served.txt" ||
        { cat "$1/tmp/served.txt"; die "nothing ran through a service"; }
}
compare() # ROOT [PLACE...]: with $folder/before
{
    list_files "$@" > "$folder/after"
    [ "$(wc -l < "$folder/before")" -gt 3000 ] || die "the list of files is too short to be one"
    diff "$folder/before" "$folder/after" > "$folder/difference" && return
    cat "$folder/difference"
    die "something is left behind, or is missing"
}
# Its parts from "make install" on are about an installation.
install_part()
{
    local line
    line=$(line_of README.md autoreconf) && echo "make install${line#*&& make install}"
}

way_make()
{
    local root=$folder/make words
    fresh "$root"
    words=$(sed -n 's/^On any Linux with \(.* and [a-z]*\),.*/\1/p' README.md | sed 's/,/ /g; s/ and / /')
    [ -n "$words" ] || die "README.md does not say what a build needs"
    # BLAS and LAPACK for the program that is run.
    install "$root" $words libc6-dev libblas-dev liblapack-dev
    copy_sources "$root/src/mublas"
    list_files "$root" src > "$folder/before"
    follow "$root" /src/mublas README.md autoreconf
    quietly driver.log in_root "$root" make -C /src/mublas/build emulated-driver
    use "$root" /src/mublas/build/tests/emulated_driver/lib "/src/mublas/build/fortran/eigensolver 100" mublas
    rm -rf "$folder/emulated" && cp -r "$root/src/mublas/build/tests/emulated_driver/lib" "$folder/emulated"
    follow "$root" /src/mublas/build doc/install.md "make uninstall"
    compare "$root" src
}
way_deb()
{
    local root=$folder/deb
    fresh "$root"
    follow "$root" / README.md "apt-get install build-essential"
    copy_sources "$root/src/mublas"
    list_files "$root" src > "$folder/before"
    follow "$root" /src/mublas README.md dpkg-buildpackage
    follow "$root" /src/mublas README.md "apt-get install ../mublas"
    quietly driver.log in_root "$root" make -C /src/mublas/debian/build emulated-driver
    use "$root" /src/mublas/debian/build/tests/emulated_driver/lib \
        "/src/mublas/debian/build/fortran/eigensolver 100" mublas
    rm -rf "$folder/emulated" && cp -r "$root/src/mublas/debian/build/tests/emulated_driver/lib" "$folder/emulated"
    quietly purge.log in_root "$root" apt-get purge mublas
    compare "$root" src
    follow "$root" / doc/install.md "apt-get install python3"
    follow "$root" /src/mublas doc/install.md "make -C debian/build wheel"
    rm -f "$folder"/*.whl && cp "$root"/src/mublas-*.whl "$folder/"
}
way_wheel()
{
    local root=$folder/wheel pages=$PWD python="python -c 'import numpy; numpy.linalg.eigh(numpy.eye(64))'"
    [ -e "$(echo "$folder"/mublas-*.whl)" ] || die "there is no wheel in $folder: run $0 $folder deb"
    fresh "$root"
    install "$root" python3 python3-venv liblapack3 # the last for the emulated device
    mkdir -p "$root/src" && cp "$folder"/mublas-*.whl "$root/src/" && cp -r "$folder/emulated" "$root/src/" || exit 1
    list_files "$root" src > "$folder/before"
    follow "$root" /src doc/install.md "python3 -m venv"
    activate=$(line_of doc/install.md ". ~/environment")
    environment=$root/root/environment
    in_root "$root" bash -c "$activate && pip install numpy scipy" > "$folder/numpy.log" 2>&1 ||
        { tail "$folder/numpy.log"; die "pip cannot install numpy and scipy"; }
    ( cd "$environment" && find . -name __pycache__ ! -path '*mublas*' -prune -o -print | sort ) > "$folder/environment"
    in_environment() { in_root "$root" bash -c "$activate && cd /src && $1"; }
    quietly pip.log in_environment "$(line_of doc/install.md "pip install mublas")"
    quietly python.log in_environment "$(line_of doc/install.md "python -m mublas")"
    use "$root" /src/emulated "$python" "$activate && mublas"
    quietly uninstall.log in_environment "$(line_of doc/install.md "pip uninstall")"
    ( cd "$environment" && find . -name __pycache__ ! -path '*mublas*' -prune -o -print | sort ) |
        diff "$folder/environment" - || die "pip uninstall leaves something behind"
    rm -rf "$environment"
    compare "$root" src
    said "the container's commands"
    awk '/^%/ { inside = $1 == "%post" } inside && !/^%/' "$pages/packaging/mublas.def" > "$root/tmp/post"
    cp "$folder"/mublas-*.whl "$root/opt/"
    quietly container.log in_root "$root" env EXTRA= sh -e /tmp/post
    use "$root" /src/emulated "$python" "PATH=/opt/environment/bin:\$PATH && mublas"
}

# The layer alone has what changed: what is there has to be below as well, and the same.
layer()
{
    local build root=$folder/root remove name
    build=$(cd "$given" && readlink -f "$layer_of") && [ -f "$build/Makefile" ] || die "$layer_of is not a build folder"
    mount -t tmpfs layer "$folder" || skip "no tmpfs can be mounted"
    mkdir "$folder/layer" "$folder/work" "$root"
    mount -t overlay layer -o "lowerdir=/,upperdir=$folder/layer,workdir=$folder/work" "$root" ||
        skip "no layer can be mounted above this machine's root"
    for place in /proc /dev "$PWD" "$build"; do
        mkdir -p "$root$place" && mount --rbind "$place" "$root$place" || skip "$place cannot be mounted"
    done
    mount -t tmpfs tmp "$root/tmp" || skip "no tmpfs can be mounted"
    for name in "$PWD" "$build"; do # below /tmp, which is new
        [ -e "$root$name" ] || { mkdir -p "$root$name" && mount --rbind "$name" "$root$name"; } ||
            skip "$name cannot be mounted"
    done
    remove=$(line_of doc/install.md "make uninstall") && said "$(install_part)" &&
        quietly install.log in_root "$root" bash -c "cd $build && $(install_part)"
    [ "$(find "$folder/layer" -name 'libmublas_shim.so' -o -name mublas -type f | wc -l)" -ge 2 ] ||
        die "make install puts nothing in the root"
    use "$root" "$build/tests/emulated_driver/lib" "$build/fortran/eigensolver 60" mublas
    said "$remove"
    quietly remove.log in_root "$root" bash -c "cd $build && $remove"
    changed > "$folder/difference"
    [ ! -s "$folder/difference" ] || { cat "$folder/difference"; die "something is left behind, or is missing"; }
}
changed()
{
    local file
    ( cd "$folder/layer" && find . -mindepth 1 -print0 ) | while IFS= read -r -d '' file; do
        file=${file#.} upper=$folder/layer$file
        case $file in
        "${PWD%/}"* | "$build"* | /var/cache/* | /var/log/* | /root/*) continue ;;
        esac
        if [ -d "$upper" ] && [ -d "$file" ]; then continue; fi
        if [ -L "$upper" ] && [ "$(readlink "$upper")" = "$(readlink "$file")" ]; then continue; fi
        if [ -f "$upper" ] && cmp -s "$upper" "$file"; then continue; fi
        if [ -d "$upper" ] && [[ "$PWD/ $build/" == *"$file/"* ]]; then continue; fi
        echo "differs: $file"
    done
}

if [ -n "$layer_of" ]; then
    if [ -z "$IN_LAYER" ]; then
        folder=$(mktemp -d) || exit 1
        unshare -m true 2> /dev/null || skip "no mounts of its own can be made here: this needs root"
        IN_LAYER=$folder unshare -m "packaging/${0##*/}" --layer "$(cd "$given" && readlink -f "$layer_of")"
        status=$?
        rmdir "$folder"
        exit $status
    fi
    folder=$IN_LAYER
    mount --make-rprivate / || skip "mounts cannot be made private"
    layer
else
    mkdir -p "$folder" && folder=$(readlink -f "$folder") || exit 1
    [ ${#ways[@]} -gt 0 ] || ways=(make deb wheel)
    for way in "${ways[@]}"; do
        [[ $way == make || $way == deb || $way == wheel ]] || die "'$way' is not a way; make, deb and wheel are"
    done
    why=$(why_no_root)
    [ -z "$why" ] || skip "$why"
    for way in "${ways[@]}"; do
        said "$way"
        "way_$way"
    done
fi
said "nothing is left behind"

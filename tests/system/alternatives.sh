#!/bin/bash
# mublas-alternatives, in folders of its own: registers libblas.so.3 and liblapack.so.3, or those for 64-bit
# integers, and restores what was there.
. tests/environment.sh
only_on_day ALTERNATIVES_FULL 1
. "$source_tree/tests/tap.sh"
command -v update-alternatives > /dev/null || { echo "1..0 # SKIP there is no update-alternatives here"; exit; }
script=$build/src/alternatives/mublas-alternatives
use_bits() # 64, or nothing: which alternative
{
    file=libblas$1.so.3 option=${1:+--ilp64}
    library=$build/src/interpose/.libs/$file
    link=$work/lib/$file
    name=$file-test
}
use_bits ""
mkdir "$work/lib" "$work/altdir" "$work/admindir"
own_folders=(--altdir "$work/altdir" --admindir "$work/admindir" --log "$work/log")

for other in 1 2; do
    mkdir "$work/$other"
    ln -s "$host_blas" "$work/$other/libblas.so.3"
    ln -s "$host_blas" "$work/$other/libblas64.so.3"
done
fresh() # AUTO|MANUAL: two other libraries registered; the second is preferred, by hand the first
{
    rm -rf "$work"/altdir/* "$work"/admindir/* "${work:?}"/lib/* "$work/previous"
    update-alternatives --quiet "${own_folders[@]}" --install "$link" $name "$work/1/$file" 10
    update-alternatives --quiet "${own_folders[@]}" --install "$link" $name "$work/2/$file" 500
    [ "$1" = auto ] || update-alternatives --quiet "${own_folders[@]}" --set $name "$work/1/$file"
}
run() # COMMAND OPTION...
{
    "$script" "$@" $option --library "$library" --link "$link" --name $name --folder "$work/previous" "${own_folders[@]}" \
        > "$work/output" 2> "$work/errors"
}
field() { update-alternatives "${own_folders[@]}" --query $name 2> /dev/null | sed -n "s|^$1: ||p"; }
selected() { [ "$(field Status)" = "$1" ] && [ "$(readlink -f "$link")" = "$(readlink -f "$2")" ] && [ "$(field Value)" = "$2" ]; }
one_line() { [ "$(wc -l < "$work/errors")" = 1 ] && grep -q "^mublas-alternatives: .*$1" "$work/errors"; }
without_trace() { [ ! -e "$work/previous" ] && ! field Alternative | grep -qF "$library"; }

# One width of integers a day.
sampled ALTERNATIVES_FULL=1
if [ -n "$ALTERNATIVES_FULL" ]; then widths=("" 64); elif in_sample 4 1; then widths=(""); else widths=(64); fi
for bits in "${widths[@]}"; do
use_bits "$bits"
for was in auto manual; do
    case $was in auto) before=$work/2/$file ;; manual) before=$work/1/$file ;; esac
    fresh $was
    selected $was "$before" && run install && [ "$(field Value)" = "$library" ] && [ "$(readlink -f "$link")" -ef "$library" ]
    result $? "$file: $was before: mublas is selected"
    [ "$(readlink "$work/previous/$file")" = "$before" ]
    result $? "$file: $was before: what was there is kept for a host BLAS"
    run install && [ "$(readlink "$work/previous/$file")" = "$before" ] &&
        grep -qF "; before it was $before" "$work/output"
    result $? "$file: $was before: registering twice forgets nothing"
    run status && grep -qF "$library" "$work/output"
    result $? "$file: $was before: status names it"
    run remove && selected $was "$before" && without_trace
    result $? "$file: $was before: removal restores it"
    run remove && without_trace && selected $was "$before"
    result $? "$file: $was before: a second removal does nothing"
done

fresh manual
run install && update-alternatives --quiet "${own_folders[@]}" --set $name "$work/2/$file" && run remove &&
    selected manual "$work/2/$file" && without_trace
result $? "$file: a choice made after mublas outlives its removal"
fresh manual
run install && update-alternatives --quiet "${own_folders[@]}" --remove $name "$work/1/$file" && run remove &&
    selected auto "$work/2/$file" && one_line "$work/1/$file, selected by hand" && without_trace
result $? "$file: what was selected before is gone: one line, the choice is automatic"
fresh manual
run install --automatic && selected manual "$work/1/$file" && field Alternative | grep -qxF "$library" &&
    grep -qF "$link is $work/1/$file" "$work/output" && run remove && selected manual "$work/1/$file" && without_trace
result $? "$file: --automatic leaves a choice made by hand"
fresh auto
update-alternatives --quiet "${own_folders[@]}" --remove $name "$work/2/$file"
run install --automatic && selected auto "$library" && [ "$(readlink "$work/previous/$file")" = "$work/1/$file" ]
result $? "$file: --automatic goes by priority"
update-alternatives --quiet "${own_folders[@]}" --install "$link" $name "$work/2/$file" 100
run refresh && selected auto "$library" && [ "$(readlink "$work/previous/$file")" = "$work/2/$file" ] &&
    grep -qF "behind $library is $work/2/$file now" "$work/output"
result $? "$file: refresh finds a better library that came later"
run refresh && [ ! -s "$work/output" ] && update-alternatives --quiet "${own_folders[@]}" --remove $name "$work/2/$file" &&
    run refresh && [ "$(readlink "$work/previous/$file")" = "$work/1/$file" ]
result $? "$file: and the next one when that is gone"
update-alternatives --quiet "${own_folders[@]}" --remove $name "$work/1/$file"
run refresh && [ ! -e "$work/previous/$file" ] && run remove && [ ! -L "$link" ] && without_trace
result $? "$file: also where none is left"
fresh manual
run install && run refresh && [ "$(readlink "$work/previous/$file")" = "$work/1/$file" ] && run remove &&
    selected manual "$work/1/$file"
result $? "$file: refresh keeps what was chosen by hand before"
rm -rf "$work"/altdir/* "$work"/admindir/* "${work:?}"/lib/*
run install && [ "$(field Value)" = "$library" ] && run remove && [ ! -L "$link" ] && without_trace
result $? "$file: where nothing was registered, nothing remains"
done
use_bits ""

# A LAPACK that does not ask for libblas.so.3.
fresh auto
for lapack in independent dependent; do
    echo "a LAPACK that is $lapack; $([ $lapack = independent ] || echo libblas.so.3)" > "$work/$lapack.so"
    update-alternatives --quiet "${own_folders[@]}" --install "$work/lib/liblapack.so.3" "liblapack.so.3-$multiarch" \
        "$work/$lapack.so" 10
    update-alternatives --quiet "${own_folders[@]}" --set "liblapack.so.3-$multiarch" "$work/$lapack.so"
    run install --without-lapack
    case $lapack in
    independent) grep -q "^note: liblapack.so.3 is $work/independent.so" "$work/output" ;;
    dependent) ! grep '^note:' "$work/output" ;;
    esac
    result $? "what is said of a LAPACK that is $lapack of libblas.so.3"
done

# LAPACK beside the BLAS.
host_lapack=$host_lapack_directory/liblapack.so.3
lapack_field() { update-alternatives "${own_folders[@]}" --query liblapack-test 2> /dev/null | sed -n "s|^$1: ||p"; }
use_lapack() # 64, or nothing
{
    use_bits "$1"
    lapack_file=liblapack$1.so.3
    lapack_library=$build/src/interpose/lapack/$lapack_file
    for other in 1 2; do ln -sfn "$host_lapack" "$work/$other/$lapack_file"; done
}
fresh_lapack() # AUTO|MANUAL
{
    fresh "$1"
    update-alternatives --quiet "${own_folders[@]}" --install "$work/lib/$lapack_file" liblapack-test "$work/1/$lapack_file" 10
    update-alternatives --quiet "${own_folders[@]}" --install "$work/lib/$lapack_file" liblapack-test "$work/2/$lapack_file" 500
    [ "$1" = auto ] || update-alternatives --quiet "${own_folders[@]}" --set liblapack-test "$work/1/$lapack_file"
}
run_lapack() { run "$@" --lapack-library "$lapack_library" --lapack-name liblapack-test; }
lapack_selected() # AUTO|MANUAL FILE
{
    [ "$(lapack_field Status)" = "$1" ] && [ "$(lapack_field Value)" = "$2" ] && [ "$(readlink -f "$work/lib/$lapack_file")" = "$(readlink -f "$2")" ]
}
for bits in "${widths[@]}"; do
use_lapack "$bits"
for was in auto manual; do
    case $was in auto) other=2 ;; manual) other=1 ;; esac
    fresh_lapack $was
    run_lapack install && [ "$(field Value)" = "$library" ] && [ "$(lapack_field Value)" = "$lapack_library" ] &&
        grep -qF "$work/lib/$lapack_file is $lapack_library; before it was $work/$other/$lapack_file" "$work/output"
    result $? "$lapack_file: $was before: registered beside $file"
    [ "$(readlink "$work/previous/liblapack$bits-host.so.3")" = "$work/$other/$lapack_file" ] &&
        [ "$(readlink "$work/previous/libblas$bits-mublas.so.3")" = "$library" ]
    result $? "$lapack_file: $was before: links for what it depends on"
    run_lapack install && [ "$(readlink "$work/previous/liblapack$bits-host.so.3")" = "$work/$other/$lapack_file" ] &&
        run_lapack status && [ "$(grep -cF "$lapack_library (" "$work/output")" = 1 ] && grep -qF "$library (" "$work/output"
    result $? "$lapack_file: $was before: registering twice forgets nothing, status names both"
    run_lapack remove && selected $was "$work/$other/$file" && lapack_selected $was "$work/$other/$lapack_file" && without_trace
    result $? "$lapack_file: $was before: removal restores both"
done
fresh_lapack auto
run_lapack install --without-lapack && [ "$(field Value)" = "$library" ] && lapack_selected auto "$work/2/$lapack_file"
result $? "$lapack_file: left as it is by --without-lapack"
fresh auto
run_lapack install && [ "$(field Value)" = "$library" ] && grep -q "^note: $lapack_file is left as it is: .* has none" "$work/output" &&
    [ ! -e "$work/lib/$lapack_file" ] && run_lapack remove && without_trace
result $? "$lapack_file: none is registered: libblas.so.3 alone"
fresh_lapack auto
run_lapack install && update-alternatives --quiet "${own_folders[@]}" --remove liblapack-test "$work/2/$lapack_file" &&
    run_lapack refresh && [ "$(readlink "$work/previous/liblapack$bits-host.so.3")" = "$work/1/$lapack_file" ] &&
    lapack_selected manual "$lapack_library"
result $? "$lapack_file: refresh takes the one that is left"
update-alternatives --quiet "${own_folders[@]}" --remove liblapack-test "$work/1/$lapack_file" && run_lapack refresh &&
    [ -z "$(lapack_field Value)" ] && [ "$(field Value)" = "$library" ] && run_lapack remove && without_trace
result $? "$lapack_file: without another it is not registered any more"
fresh_lapack auto
cp "$lapack_library" "$work/2/$lapack_file.new" && mv "$work/2/$lapack_file.new" "$work/2/$lapack_file"
run_lapack install && [ "$(field Value)" = "$library" ] && lapack_selected auto "$work/2/$lapack_file" &&
    grep -q 'is of another mublas' "$work/output"
result $? "$lapack_file: not before another mublas'"
ln -sfn "$host_lapack" "$work/2/$lapack_file"
fresh_lapack auto
run_lapack install && update-alternatives --quiet "${own_folders[@]}" --remove liblapack-test "$lapack_library" &&
    run_lapack remove && lapack_selected auto "$work/2/$lapack_file" && without_trace
result $? "$lapack_file: removed by hand before: nothing remains"
done
# The folder of the links stands for the run path, which is the installed one's.
use_lapack ""
fresh_lapack manual
run_lapack install
if $compiler -O1 -fno-lto -o "$work/lapack_user" "$source_tree/tests/system/lapack_user.c" "$host_lapack" \
    -L"$host_blas_directory" -l:libblas.so.3 -lm 2> "$work/errors"; then
    ( use_emulated_system
      LD_LIBRARY_PATH=$work/lib:$work/previous:$LD_LIBRARY_PATH LD_PRELOAD=$sanitizer_preload MUBLAS_OFFLOAD=always \
          MUBLAS_REPORT=$work/report "$work/lapack_user" dsyevd dgeev dstev dgemm ) > "$work/output" 2> "$work/errors" &&
        [ "$(grep -c 'right$' "$work/output")" = 4 ] && grep -qE '^  dsyevd +1 +1 ' "$work/report" &&
        grep -q '^  host LAPACK .*/liblapack' "$work/report" && ! grep -q '^  dstev' "$work/report"
    result $? "a program gets both by the links: dsyevd runs on the device, the rest is the LAPACK's before mublas"
fi
rm -f "$work/report"
use_bits ""

# make's two commands, with another system's folders.
fresh auto
options="--library $library --link $link --name $name --folder $work/previous ${own_folders[*]}"
make -s --no-print-directory -C "$build" install-alternatives ALTERNATIVES_OPTIONS="$options" > "$work/output" 2>&1 &&
    [ "$(field Value)" = "$library" ]
result $? "make install-alternatives"
make -s --no-print-directory -C "$build" uninstall-alternatives ALTERNATIVES_OPTIONS="$options" > "$work/output" 2>&1 &&
    selected auto "$work/2/libblas.so.3"
result $? "make uninstall-alternatives"
# The two alternatives' defaults have nothing in common.
paths() { sed -nE '/^  --(library|link|name|folder)/s/.*\((.*)\)/\1/p' <<< "$1"; }
[ "$(paths "$("$script" help --ilp64)" | grep -c 64)" -ge 4 ] &&
    [ "$({ paths "$("$script" help)"; paths "$("$script" help --ilp64)"; } | sort | uniq -d | wc -l)" = 0 ]
result $? "libblas.so.3 and libblas64.so.3 are registered apart"
! make -s --no-print-directory -C "$build" install-alternatives DESTDIR="$work/stage" ALTERNATIVES_OPTIONS="$options" \
    > "$work/output" 2> "$work/errors" && grep -q '^install-alternatives: not with DESTDIR' "$work/errors" &&
    selected auto "$work/2/libblas.so.3"
result $? "not with DESTDIR: one line"

# Refusals, in one line each.
echo a file > "$work/plain"
bad() # STATUS PATTERN ARGUMENT...
{
    local status=$1 pattern=$2
    shift 2
    "$script" "$@" > "$work/output" 2> "$work/errors"
    [ $? = "$status" ] && one_line "$pattern" && selected auto "$work/2/libblas.so.3"
}
bad 1 'is a file, not a link' install --library "$library" --link "$work/plain" --name $name --folder "$work/previous" \
    "${own_folders[@]}" && [ "$(cat "$work/plain")" = "a file" ]
result $? "a library that no alternative made is left alone"
bad 1 "there is no $work/no.so: run make install first" install --library "$work/no.so" --link "$link" --name $name \
    --folder "$work/previous" "${own_folders[@]}"
result $? "a library that is not installed"
bad 1 "cannot write in $work/plain" install --library "$library" --link "$link" --name $name --folder "$work/plain" \
    "${own_folders[@]}"
result $? "a folder that cannot be written"
bad 2 'there is no option --colour' install --colour
result $? "an unknown option"
bad 2 '--link needs a value' install --link
result $? "an option without its value"
bad 2 'register is neither' register
result $? "an unknown command"
if [ ! -x /usr/sbin/update-alternatives ] && [ ! -x /sbin/update-alternatives ]; then
    PATH=$work /bin/sh "$script" status > "$work/output" 2> "$work/errors"
    [ $? = 1 ] && one_line 'has no update-alternatives'
    result $? "a system without update-alternatives"
fi

# The program's way: the link is on its path, mublas takes what was there for its host.
# patch BITS: the library as if it were installed with the test's folders.
patch()
{
    local previous padded=$work/previous/libblas$1.so.3
    previous=$(sed -n "s|^ *folder=.*:-\(.*\)\$bits}|\1|p" "$script")$1/libblas$1.so.3
    while [ ${#padded} -lt ${#previous} ]; do padded=/$padded; done
    [ ${#padded} = ${#previous} ] || return 1
    LC_ALL=C sed "s|$previous|$padded|" "$library" > "$work/patched.so"
    ln -sfn "$work/patched.so" "$link"
}
# through_link HOST PROGRAM ARGUMENT...
through_link()
{
    ( use_emulated_system
      rm -f "$work/report"
      LD_LIBRARY_PATH=$work/lib:$LD_LIBRARY_PATH LD_PRELOAD=$sanitizer_preload$preloaded MUBLAS_OFFLOAD=always \
          MUBLAS_REPORT=$work/report "${@:2}" ) > "$work/output" 2> "$work/errors" &&
        grep -q "^  host BLAS .* ($1)" "$work/report" &&
        [ "$(awk '$1 == "total" { print $3 }' "$work/report")" -gt 10 ]
}
long_name="# SKIP the folder's name is too long to patch another in"
fresh auto
run install
if patch ""; then
    preloaded= through_link "the system's libblas.so.3 before mublas" tests/system/counted
    result $? "a program gets mublas by the link, and mublas the library before it as its host"
else
    result 0 "mublas takes the library before it as its host $long_name"
fi
# With 64-bit integers. The reference is no host then, though by that name and first of those that are set.
use_bits 64
wide=$build/tests/system/.libs/wide_plain.so
export NARROW_BLAS=$host_blas
for other in 1 2; do ln -sfn "$wide" "$work/$other/libblas64.so.3"; done
fresh auto
run install
entries=(env LD_PRELOAD="${sanitizer_preload:+$sanitizer_preload:}$link" tests/system/entries)
for form in "fortran '' _ 64" "cblas cblas_ '' 64"; do
    eval "set -- $form"
    if patch 64; then
        through_link "the system's libblas64.so.3 before mublas" "${entries[@]}" "$@"
        result $? "${2}NAME$3, 64 bits: the library before mublas is the host"
    else
        result 0 "libblas64.so.3 takes the library before it as its host $long_name"
    fi
    MUBLAS_HOST_BLAS=$host_blas:$wide through_link "set by MUBLAS_HOST_BLAS" "${entries[@]}" "$@"
    result $? "${2}NAME$3, 64 bits: of two that are set the one with 64-bit integers"
    ln -sfn "$library" "$link"
    ln -sf "$wide" "$work/lib/libopenblas64.so.0"
    through_link "found under a well-known name" "${entries[@]}" "$@"
    result $? "${2}NAME$3, 64 bits: a library by a well-known name, and never mublas itself"
    rm "$work/lib/libopenblas64.so.0"
done
echo "1..$number"

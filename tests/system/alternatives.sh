#!/bin/bash
# mublas-alternatives, in folders of its own: registers libblas.so.3 and restores what was there.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_TEST_SHIM MUBLAS_HOST_BLAS MUBLAS_OFFLOAD MUBLAS_REPORT
command -v update-alternatives > /dev/null || { echo "1..0 # SKIP there is no update-alternatives here"; exit; }
script=$build/src/alternatives/mublas-alternatives
library=$build/src/interpose/.libs/libblas.so.3
link=$work/lib/libblas.so.3
name=libblas.so.3-test
mkdir "$work/lib" "$work/altdir" "$work/admindir"
own_folders=(--altdir "$work/altdir" --admindir "$work/admindir" --log "$work/log")

for other in 1 2; do
    mkdir "$work/$other"
    ln -s "$host_blas" "$work/$other/libblas.so.3"
done
fresh() # AUTO|MANUAL: two other libraries registered; the second is preferred, by hand the first
{
    rm -rf "$work"/altdir/* "$work"/admindir/* "$work"/lib/* "$work/previous"
    update-alternatives --quiet "${own_folders[@]}" --install "$link" $name "$work/1/libblas.so.3" 10
    update-alternatives --quiet "${own_folders[@]}" --install "$link" $name "$work/2/libblas.so.3" 500
    [ "$1" = auto ] || update-alternatives --quiet "${own_folders[@]}" --set $name "$work/1/libblas.so.3"
}
run() # COMMAND OPTION...
{
    "$script" "$@" --library "$library" --link "$link" --name $name --folder "$work/previous" "${own_folders[@]}" \
        > "$work/output" 2> "$work/errors"
}
field() { update-alternatives "${own_folders[@]}" --query $name 2> /dev/null | sed -n "s|^$1: ||p"; }
selected() { [ "$(field Status)" = "$1" ] && [ "$(readlink -f "$link")" = "$(readlink -f "$2")" ] && [ "$(field Value)" = "$2" ]; }
one_line() { [ "$(wc -l < "$work/errors")" = 1 ] && grep -q "^mublas-alternatives: .*$1" "$work/errors"; }
without_trace() { [ ! -e "$work/previous" ] && ! field Alternative | grep -qF "$library"; }

for was in auto manual; do
    case $was in auto) before=$work/2/libblas.so.3 ;; manual) before=$work/1/libblas.so.3 ;; esac
    fresh $was
    selected $was "$before" && run install && [ "$(field Value)" = "$library" ] && [ "$(readlink -f "$link")" -ef "$library" ]
    result $? "$was before: mublas is selected"
    [ "$(readlink "$work/previous/libblas.so.3")" = "$before" ]
    result $? "$was before: what was there is kept for a host BLAS"
    run install && [ "$(readlink "$work/previous/libblas.so.3")" = "$before" ] &&
        grep -qF "; before it was $before" "$work/output"
    result $? "$was before: registering twice forgets nothing"
    run status && grep -qF "$library" "$work/output"
    result $? "$was before: status names it"
    run remove && selected $was "$before" && without_trace
    result $? "$was before: removal restores it"
    run remove && without_trace && selected $was "$before"
    result $? "$was before: a second removal does nothing"
done

fresh manual
run install && update-alternatives --quiet "${own_folders[@]}" --set $name "$work/2/libblas.so.3" && run remove &&
    selected manual "$work/2/libblas.so.3" && without_trace
result $? "a choice made after mublas outlives its removal"
fresh manual
run install && update-alternatives --quiet "${own_folders[@]}" --remove $name "$work/1/libblas.so.3" && run remove &&
    selected auto "$work/2/libblas.so.3" && one_line "$work/1/libblas.so.3, selected by hand" && without_trace
result $? "what was selected before is gone: one line, the choice is automatic"
rm -rf "$work"/altdir/* "$work"/admindir/* "$work"/lib/*
run install && [ "$(field Value)" = "$library" ] && run remove && [ ! -L "$link" ] && without_trace
result $? "where nothing was registered, nothing remains"

# A LAPACK that does not ask for libblas.so.3.
fresh auto
for lapack in independent dependent; do
    echo "a LAPACK that is $lapack; $([ $lapack = independent ] || echo libblas.so.3)" > "$work/$lapack.so"
    update-alternatives --quiet "${own_folders[@]}" --install "$work/lib/liblapack.so.3" "liblapack.so.3-$multiarch" \
        "$work/$lapack.so" 10
    update-alternatives --quiet "${own_folders[@]}" --set "liblapack.so.3-$multiarch" "$work/$lapack.so"
    run install
    case $lapack in
    independent) grep -q "^note: liblapack.so.3 is $work/independent.so" "$work/output" ;;
    dependent) ! grep '^note:' "$work/output" ;;
    esac
    result $? "what is said of a LAPACK that is $lapack of libblas.so.3"
done

# make's two commands, with another system's folders.
fresh auto
options="--library $library --link $link --name $name --folder $work/previous ${own_folders[*]}"
make -s --no-print-directory -C "$build" install-alternatives ALTERNATIVES_OPTIONS="$options" > "$work/output" 2>&1 &&
    [ "$(field Value)" = "$library" ]
result $? "make install-alternatives"
make -s --no-print-directory -C "$build" uninstall-alternatives ALTERNATIVES_OPTIONS="$options" > "$work/output" 2>&1 &&
    selected auto "$work/2/libblas.so.3"
result $? "make uninstall-alternatives"
! make -s --no-print-directory -C "$build" install-alternatives DESTDIR="$work/stage" ALTERNATIVES_OPTIONS="$options" \
    > "$work/output" 2> "$work/errors" && grep -q '^install-alternatives: not with DESTDIR' "$work/errors" &&
    selected auto "$work/2/libblas.so.3"
result $? "not with DESTDIR: one line"

# What cannot be done, in one line each.
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
fresh auto
run install
previous=$(sed -n "s|^folder=||p" "$script")/libblas.so.3
padded=$work/previous/libblas.so.3
while [ ${#padded} -lt ${#previous} ]; do padded=/$padded; done
if [ ${#padded} = ${#previous} ]; then
    LC_ALL=C sed "s|$previous|$padded|" "$library" > "$work/patched.so"
    ln -sfn "$work/patched.so" "$work/lib/libblas.so.3"
    ( use_emulated_driver
      use_reference_libraries
      LD_LIBRARY_PATH=$work/lib:$LD_LIBRARY_PATH LD_PRELOAD=$sanitizer_preload MUBLAS_OFFLOAD=always \
          MUBLAS_REPORT=$work/report tests/system/counted ) > "$work/output" 2> "$work/errors" &&
        grep -q "^  host BLAS .* (the system's libblas.so.3 before mublas)" "$work/report" &&
        [ "$(awk '$1 == "total" { print $3 }' "$work/report")" -gt 10 ]
    result $? "a program gets mublas by the link, and mublas the library before it as its host"
else
    number=$((number + 1))
    echo "ok $number - mublas takes the library before it as its host # SKIP $previous is too short a name to patch"
fi
echo "1..$number"

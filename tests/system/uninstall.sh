#!/bin/bash
# make install, install-alternatives and uninstall in a root of their own, where another BLAS and LAPACK are the
# system's: in every order, with failures in between, and after the files went without mublas' help, no link leads
# nowhere and those are selected that were.
. tests/environment.sh
only_on_day UNINSTALL_FULL 0
. "$source_tree/tests/tap.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
system_alternatives=$(PATH=$PATH:/usr/sbin:/sbin command -v update-alternatives) ||
    { echo "1..0 # SKIP there is no update-alternatives here"; exit; }
# Files that install would make anew by these folders would stay in the build.
make -s --no-print-directory -q all-am > /dev/null 2>&1 || { echo "Bail out! run make first: the build is not up to date"; exit 1; }
export SYSTEM_ALTERNATIVES=$system_alternatives FAIL_ON="" WATCHED=$work/library
root=$work/root
links=$work/lib

# Every folder of this build, below the root.
folders=()
while read -r variable value; do
    folders+=("$variable=$root$value")
done < <(printf 'include Makefile\nshow:\n\t@true$(foreach v,%s,$(info $(v) $($(v))))\n' \
    'prefix exec_prefix bindir datarootdir datadir docdir includedir libdir libexecdir mandir sysconfdir' |
    make -s --no-print-directory -f - show)
libdir=$(printf '%s\n' "${folders[@]}" | sed -n 's/^libdir=//p')
library=$libdir/mublas/libblas.so.3
lapack=$libdir/mublas/lapack/liblapack.so.3
echo "$library" > "$work/library"

# It fails where it is told to, and notes when the library was not there any more at the alternative's removal.
mkdir "$work/bin" "$work/altdir" "$work/admindir" "$links"
cat > "$work/bin/update-alternatives" << 'END'
#!/bin/sh
case " $* " in
*" --remove "*) [ -e "$(cat "$WATCHED")" ] || echo gone >> "$WATCHED.gone" ;;
esac
case "$* " in
*"${FAIL_ON:-no failure}"*) echo "update-alternatives: no" >&2; exit 2 ;;
esac
exec "$SYSTEM_ALTERNATIVES" "$@"
END
chmod +x "$work/bin/update-alternatives"
own_folders=(--altdir "$work/altdir" --admindir "$work/admindir" --log "$work/log")
options="--library $library --link $links/libblas.so.3 --name blas-test --lapack-library $lapack --lapack-name lapack-test \
--folder $libdir/mublas/previous ${own_folders[*]}"
alternatives() { "$system_alternatives" --quiet "${own_folders[@]}" "$@"; }
value() { alternatives --query "$1-test" 2> /dev/null | sed -n 's/^Value: //p'; }
status() { alternatives --query "$1-test" 2> /dev/null | sed -n 's/^Status: //p'; }

# A system with two of each; the second is preferred, or the first selected by hand.
for other in 1 2; do
    mkdir "$work/$other"
    ln -s "$host_blas" "$work/$other/libblas.so.3"
    ln -s "$host_lapack_directory/liblapack.so.3" "$work/$other/liblapack.so.3"
done
fresh() # AUTO|MANUAL
{
    FAIL_ON=
    rm -rf "$root" "$work"/altdir/* "$work"/admindir/* "${links:?}"/* "$work/library.gone"
    mkdir "$root"
    was=$1 before=$work/2
    for name in blas lapack; do
        alternatives --install "$links/lib$name.so.3" $name-test "$work/1/lib$name.so.3" 10
        alternatives --install "$links/lib$name.so.3" $name-test "$work/2/lib$name.so.3" 100
        [ "$1" = auto ] || { before=$work/1; alternatives --set $name-test "$work/1/lib$name.so.3"; }
    done
}
steps() # TARGET...: one after the other, as long as they go well
{
    local target
    for target in "$@"; do
        PATH=$work/bin:$PATH make -s --no-print-directory $parallel -C "$build" $target "${folders[@]}" \
            ALTERNATIVES_OPTIONS="$options" >> "$work/output" 2>> "$work/errors" || return
    done
}
# make's install and install-alternatives without make, which takes its time.
placed() { cp -a "$work/installed/." "$root"; }
registered()
{
    PATH=$work/bin:$PATH "$build/src/alternatives/mublas-alternatives" install $options >> "$work/output" 2>> "$work/errors"
}
removed() # from the alternatives, as make uninstall does it first
{
    PATH=$work/bin:$PATH "$build/src/alternatives/mublas-alternatives" remove $options >> "$work/output" 2>> "$work/errors"
}
no_link_leads_nowhere() { [ -z "$(find "$root" "$work/altdir" "$links" -xtype l -print)" ]; }
selected() { [ "$(value blas)" = "$library" ] && [ "$(value lapack)" = "$lapack" ] && [ -e "$links/libblas.so.3" ] && [ -e "$links/liblapack.so.3" ]; }
as_before()
{
    for name in blas lapack; do
        [ "$(status $name)" = $was ] && [ "$(value $name)" = "$before/lib$name.so.3" ] &&
            [ -e "$links/lib$name.so.3" ] || return
    done
    no_link_leads_nowhere
}
nothing_left() { [ -z "$(find "$root" ! -type d -print)" ] && [ ! -e "$libdir/mublas" ]; }
in_order() { [ ! -e "$work/library.gone" ]; }
say() { result "$1" "$2"; : > "$work/output"; : > "$work/errors"; }

parallel=
for was in auto manual; do
    fresh $was
    if [ $was = manual ]; then placed; else steps install; fi && { [ -e "$work/installed" ] || cp -a "$root" "$work/installed"; } && steps install-alternatives &&
        selected && no_link_leads_nowhere && steps uninstall && as_before && nothing_left && in_order
    say $? "$was before: installed, registered, removed"
done
fresh manual
placed && registered && steps install install-alternatives && selected && no_link_leads_nowhere &&
    steps uninstall && as_before && nothing_left && in_order
say $? "upgraded and registered again, removed"
fresh manual
placed && registered && steps install && selected && no_link_leads_nowhere && steps uninstall-alternatives &&
    as_before && steps uninstall && as_before && nothing_left
say $? "upgraded alone; the alternatives removed, then the rest"
fresh auto
placed && steps uninstall && as_before && nothing_left && ! grep -q "registered\|selected\| is " "$work/output" "$work/errors"
say $? "never registered: not a word of alternatives"
fresh auto
parallel=-j8
placed && steps install-alternatives uninstall && as_before && nothing_left && in_order
say $? "all of make's targets at once"
parallel=

# Failures, one in two.
sampled UNINSTALL_FULL=1
for step in "--remove lapack" "--remove blas"; do
    on_turn UNINSTALL_FULL || continue
    fresh manual
    placed && registered
    FAIL_ON=$step
    ! steps uninstall && [ -e "$library" ] && [ -e "$lapack" ] && no_link_leads_nowhere && FAIL_ON= && steps uninstall &&
        as_before && nothing_left && in_order
    say $? "update-alternatives $step fails: no file goes; the next time all does"
done
for step in "--install $links/liblapack" "--set lapack" "--set blas" "--install $links/libblas"; do
    on_turn UNINSTALL_FULL || continue
    fresh manual
    placed
    FAIL_ON=$step
    ! registered && no_link_leads_nowhere && FAIL_ON= && removed && as_before && in_order
    say $? "update-alternatives ${step%% *} ${step##*[ /]} fails: what was registered before it goes"
done
fresh manual
placed && registered && options="$options --without-lapack" && steps uninstall && as_before && nothing_left
say $? "registered with LAPACK, removed with --without-lapack: both go"
options=${options% --without-lapack}

# Someone took the files away.
fresh auto
placed && registered && rm -r "$libdir/mublas" && ! no_link_leads_nowhere && steps uninstall && as_before
say $? "the library's folder was gone before: the links are mended"
fresh auto
placed && registered && rm "$library" "$lapack" && steps uninstall && as_before && nothing_left
say $? "the libraries were gone before, the notes were not"
fresh manual
placed && registered && rm "$library" "$lapack" && steps uninstall && as_before && nothing_left
say $? "also what had been selected by hand comes back"
for name in blas lapack; do
    for other in 1 2; do alternatives --remove $name-test "$work/$other/lib$name.so.3"; done
done
rm -rf "$root"
mkdir "$root"
placed && registered && [ "$(value blas)" = "$library" ] && steps uninstall && no_link_leads_nowhere &&
    nothing_left && [ -z "$(find "$work/altdir" "$links" ! -type d)" ]
say $? "where nothing was registered before, nothing remains"
placed && registered && rm -r "$libdir/mublas" && steps uninstall && no_link_leads_nowhere &&
    [ -z "$(find "$work/altdir" "$links" ! -type d)" ]
say $? "nor where the files were gone"
echo "1..$number"

#!/bin/bash
# Reports arrive, whatever the program, its folder and its limits are: whole, or what was there stays.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_UNREACHABLE
export MUBLAS_OFFLOAD=never
use_reference_libraries
counted=$build/tests/system/counted
report=$work/report

under_shim() { LD_PRELOAD=$shim_preload MUBLAS_REPORT=$report "$@" > "$work/output" 2> "$work/errors"; }
is_whole()
{
    grep -q '^  total *21 ' "$1" && grep -q '^  advice:$' "$1" &&
        [ "$(grep -c '^mublas report of' "$1")" = 1 ]
}
# One line of what failed, and the report behind it.
told()
{
    [ "$(grep -c '^mublas: ' "$work/errors")" = 1 ] && is_whole "$work/errors" &&
        grep -q "^mublas: MUBLAS_REPORT: cannot write $1; the report follows here" "$work/errors"
}
leaves_nothing_beside() { [ "$(echo "$work"/report*)" = "$report" ]; }

# Limits and signals.
echo earlier > "$report"
( ulimit -f 1 && under_shim "$counted" 2> /dev/null )
[ $? = 0 ] && [ "$(cat "$report")" = earlier ] && leaves_nothing_beside &&
    grep -q "cannot write $report: File too large" "$work/errors"
result $? "beyond the limit of file sizes: no signal, and the earlier report stays"
mkfifo "$work/deaf"
cat "$work/deaf" > /dev/null &
exec 9> "$work/deaf"
kill $!
wait $! 2> /dev/null
LD_PRELOAD=$shim_preload MUBLAS_REPORT=1 "$counted" 2>&9
result $? "standard error that nobody reads: no signal"
exec 9>&-
if [ -w /dev/full ]; then
    report=/dev/full under_shim "$counted" && told '/dev/full: No space left on device'
    result $? "a device without room: one line, and the report on standard error"
fi

# Files that are not plain.
mkfifo "$work/pipe"
report=$work/pipe under_shim "$counted" && told "$work/pipe: it is a pipe that nobody reads"
result $? "a pipe that nobody reads is said to be one"
cat "$work/pipe" > "$work/read" &
report=$work/pipe
for ((i = 0; i < 500; i++)); do
    under_shim "$counted" && [ ! -s "$work/errors" ] && break
    sleep 0.02
done
wait $! && is_whole "$work/read" && [ -p "$work/pipe" ]
result $? "a pipe that somebody reads gets the report"
report=/dev/stderr under_shim "$counted" && grep -q '^mublas report of process' "$work/errors" && ! grep -q 'link' "$work/errors"
result $? "the system's link to standard error is standard error"
ln -s /dev/stderr "$work/stderr" && report=$work/stderr under_shim "$counted" &&
    told "$work/stderr: it is a symbolic link, which is not followed"
result $? "another link to it is not followed"
mkdir "$work/folder"
report=$work/folder under_shim "$counted" && told "$work/folder: Is a directory"
result $? "a folder is one"

# Files that are there.
report=$work/report
echo earlier > "$report" && chmod 640 "$report" && under_shim "$counted" && is_whole "$report" &&
    [ "$(stat -c %a "$report")" = 640 ] && leaves_nothing_beside
result $? "a file that is replaced keeps its mode"
if [ "$(id -u)" != 0 ]; then
    echo earlier > "$work/folder/report" && chmod 555 "$work/folder" &&
        report=$work/folder/report under_shim "$counted" && is_whole "$work/folder/report"
    result $? "in a folder that takes no new file it is written over"
    chmod 755 "$work/folder"
fi
rm -f "$report"
( cd "$work" && report=report under_shim "$counted" folder ) && is_whole "$report"
result $? "a relative name is of the folder in which the program began"

# Text of anybody's.
MUBLAS_HOST_BLAS=$'/x/\x1b[31m\n  total 99\xff' under_shim "$counted" && is_whole "$report" &&
    grep -q $'MUBLAS_HOST_BLAS=/x/\xef\xbf\xbd\\[31m\xef\xbf\xbd  total 99\xef\xbf\xbd$' "$report" &&
    ! LC_ALL=C grep -q '[[:cntrl:]]' "$report"
result $? "control characters in a setting become U+FFFD"

# Threads that end the process at once: of ten times, none without a report. (The C library's list of what to run
# at the end knows no such threads, which AddressSanitizer says.)
if [ -n "$sanitizers" ]; then
    skip "four threads that exit at once" "sanitizers see the C library's own race"
else
    whole=0
    for ((i = 0; i < 10; i++)); do
        rm -f "$report"
        under_shim "$counted" leave && is_whole "$report" && leaves_nothing_beside && [ ! -s "$work/errors" ] &&
            whole=$((whole + 1))
    done
    [ $whole = 10 ]
    result $? "four threads that exit at once leave one whole report"
fi

# mublas run with programs that start others, or become others.
if [ -z "$sanitizers" ]; then
    run() { rm -f "$report"; "$build/mublas" run "$@" > "$work/output" 2> "$work/errors"; }
    printf '#!/bin/sh\nhere=$(dirname "$0")\nexec "$@"\n' > "$work/wrapper" && chmod +x "$work/wrapper"
    run --report="$report" -- "$work/wrapper" "$counted" && is_whole "$report"
    result $? "a wrapper that becomes a program: the program's report"
    run --report="$report" -- "$work/wrapper" /bin/true && grep -q '/true)$' "$report" &&
        grep -q 'made no BLAS or LAPACK call that mublas could see\. mublas info -- PROGRAM' "$report"
    result $? "of one without calls as well, which nobody looked into"
    run --report -- sh -c '/bin/true; exit 3'
    [ $? = 3 ] && [ ! -s "$work/errors" ]
    result $? "a script leaves the report to the programs that it starts"
    run --report="$report" -- bash -c 'sleep 1 > /dev/null 2>&1 & exit 0' && grep -q 'made no BLAS or LAPACK call' "$report" &&
        grep -q '^  - It started other processes, which report for themselves' "$report"
    result $? "a program that does not wait for one that it started: that the other reports for itself"
    ( cd "$work" && run --report=report -- sh -c 'cd folder && exec "$0"' "$counted" ) && is_whole "$report"
    result $? "a relative name is of the folder in which mublas run was called"
    if [ -z "$libelf_missing" ]; then
        printf '%s\n' '#include <unistd.h>' '__attribute__((visibility("hidden"))) void dsymv_(void) {}' \
            'int main(int n, char **a) { dsymv_(); return n > 1 && execv(a[1], a + 1); }' > "$work/static.c"
        $compiler -o "$work/static" "$work/static.c" && run --report="$report" -- "$work/static" &&
            grep -q 'Not interceptable.*/static' "$report" &&
            run --report="$report" -- "$work/static" "$counted" && is_whole "$report" &&
            ! grep -q 'Not interceptable' "$report"
        result $? "what was found in a program is told of it, and not of the one that it becomes"
    fi
fi
# The line comes behind the program's end: standard error is read to its own.
lines_of() { "$build/mublas" run --report="$report" -- "$@" 2>&1 > /dev/null | cat > "$work/errors"; }
is_told_earlier() { [ "$(wc -l < "$work/errors")" = 1 ] && grep -q "^mublas run: $report is of an earlier run: $1 has ended" "$work/errors"; }
if [ -z "$sanitizers" ]; then
    echo earlier > "$report"
    lines_of sh -c 'kill -KILL $$'
    is_told_earlier sh && [ "$(cat "$report")" = earlier ]
    result $? "after a signal it is said that the report there is of an earlier run"
    lines_of sh -c '"$0" > /dev/null; kill -KILL $$' /bin/true && is_told_earlier sh
    result $? "likewise where programs that were started wrote none"
    lines_of "$counted" && [ ! -s "$work/errors" ] && is_whole "$report"
    result $? "of a new report nothing is said"
    lines_of sh -c '"$0"; kill -KILL $$' "$counted" && [ ! -s "$work/errors" ] && is_whole "$report"
    result $? "nor of one that a program wrote that was started"
fi
# An unwritable report is said to be so before a long run, which does not begin.
refused() # FILE REASON
{
    "$build/mublas" run --report="$1" -- touch "$work/began" 2> "$work/errors"
    [ $? = 2 ] && [ ! -e "$work/began" ] && [ "$(wc -l < "$work/errors")" = 1 ] && grep -q "^mublas run: $1: .*$2" "$work/errors"
}
mkdir "$work/taken" && ln -s nowhere "$work/link"
refused "$work/nowhere/r.html" "no such folder" && refused "$work/taken" "it is a folder" &&
    refused "$work/link" "symbolic links are not followed"
result $? "mublas run refuses a file that no report can be written to"
echo "1..$number"

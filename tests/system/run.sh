#!/bin/bash
# `mublas run`: sets the program up, passes everything on, refuses what cannot work.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_RECIPE
use_emulated_system
run() { "$build/mublas" run "$@" > "$work/output" 2> "$work/errors"; }
one_line() { [ "$(wc -l < "$work/errors")" = 1 ] && grep -qE "$1" "$work/errors"; }

# A sanitized library cannot be loaded into programs that are not.
if [ -z "$sanitizers" ]; then
    run -- /usr/bin/env
    grep -q "^LD_PRELOAD=$build/.libs/libmublas_shim.so\$" "$work/output" &&
        grep -q '^GLIBC_TUNABLES=glibc.malloc.hugetlb=1$' "$work/output" &&
            ! grep -q '^MUBLAS_' "$work/output"
    result $? "the shim is preloaded and large allocations come on huge pages"
    GLIBC_TUNABLES=glibc.malloc.hugetlb=0 run --report="$work/report" --offload=never env
    grep -q '^GLIBC_TUNABLES=glibc.malloc.hugetlb=0$' "$work/output" &&
        grep -q "^MUBLAS_REPORT=$work/report\$" "$work/output" &&
            grep -q '^MUBLAS_OFFLOAD=never$' "$work/output"
    result $? "options become settings; the user's own tunable stays"
    GLIBC_TUNABLES=glibc.malloc.arena_max=2 run env
    grep -q '^GLIBC_TUNABLES=glibc.malloc.arena_max=2:glibc.malloc.hugetlb=1$' "$work/output"
    result $? "another tunable is kept beside it"
    run -- sh -c 'printf "%s|" "$@"; exit 7' - 'a b' --report '' > "$work/output"
    [ $? = 7 ] && [ "$(cat "$work/output")" = 'a b|--report||' ]
    result $? "arguments and exit status pass through"
    run -- sh -c 'kill -TERM $$'
    [ $? = 143 ] && [ ! -s "$work/output" ]
    result $? "a program that a signal ends: the shell sees 128 and the signal's number"
    run --offload=always --report="$work/report" -- "$build/tests/system/counted"
    [ $? = 0 ] && [ "$(awk '$1 == "total" { print ($3 > 0) }' "$work/report")" = 1 ]
    result $? "a program's calls run on the device"
fi
# --help of each: usage, then examples, of which each begins a command line.
told=$("$build/mublas" --help | sed -n 's/^mublas \([a-z][a-z]*\).*/\1/p' | sort -u) missing=
for command in $told; do
    "$build/mublas" "$command" --help > "$work/output" 2> "$work/errors" && [ ! -s "$work/errors" ] &&
        [ "$(sed '1,/^Examples:$/d' "$work/output" | grep -cE "^  (.* )?mublas ")" -ge 1 ] || missing+=" $command"
done
[ -n "$told" ] && [ -z "$missing" ]
result $? "every command's --help has examples${missing:+, but for$missing}"
run --offload=sometimes -- true
[ $? = 2 ] && one_line "sometimes"
result $? "an unknown mode is named"
run --speed -- true
[ $? = 2 ] && one_line "'--speed'"
result $? "an unknown option is named"
run --report
[ $? = 2 ] && one_line "no program"
result $? "a missing program is asked for"
run -- no-such-program
[ $? = 127 ] && one_line "no-such-program"
result $? "a program that is not there is named"
cp /usr/bin/env "$work/privileged" && chmod u+s "$work/privileged"
MUBLAS_REPORT=$work/report run -- "$work/privileged" sh -c 'exit 5'
[ $? = 5 ] && one_line "privileged runs without mublas: it is set-user-id"
result $? "a set-user-id program runs without mublas, and a line says so"
run -- "$work/privileged" && ! grep -q '^LD_PRELOAD=' "$work/output"
result $? "nothing is set for it"
echo 'int main(void) { return 7; }' > "$work/main.c"
if $compiler -static -o "$work/static" "$work/main.c" 2> /dev/null; then
    run -- "$work/static"
    [ $? = 7 ] && one_line "mublas gets no call of $work/static: it is statically linked"
    result $? "a static program runs, and a line says that mublas gets none of its calls"
    printf '#!%s\n' "$work/static" > "$work/script" && chmod +x "$work/script"
    run -- "$work/script"
    [ $? = 7 ] && one_line "mublas gets no call of $work/static: it is statically linked"
    result $? "also where a script runs it"
fi
if $compiler -static-pie -fPIE -o "$work/static_pie" "$work/main.c" 2> /dev/null; then
    run -- "$work/static_pie"
    [ $? = 7 ] && one_line "$work/static_pie: it is statically linked"
    result $? "and of one that is position-independent"
fi
cp /usr/bin/env "$work/foreign" && printf '\363' | dd of="$work/foreign" bs=1 seek=18 conv=notrunc 2> /dev/null
run -- "$work/foreign"
grep -q "mublas gets no call of $work/foreign: it is built for another machine" "$work/errors"
result $? "and of one for another machine"
loader=$(sed -n 's/.* \(\/.*ld-linux.*\) .*/\1/p' /proc/self/maps | head -n 1)
loader=${loader:-$(ls /lib64/ld-linux-x86-64.so.2 2> /dev/null)}
if [ -x "$loader" ] && [ -z "$sanitizers" ]; then
    run -- "$loader" /usr/bin/env && grep -q '^LD_PRELOAD=' "$work/output" && [ ! -s "$work/errors" ]
    result $? "but not of the loader itself"
fi

# The report's file is tried before the program starts.
refuses_report() # FILE WHY
{
    run --report="$1" -- touch "$work/ran"
    [ $? = 2 ] && one_line "mublas run: .*$1.*: a report cannot be written there: $2" && [ ! -e "$work/ran" ]
    result $? "a report that could not be written: $2"
}
if [ -z "$sanitizers" ]; then # whose runtime sh has not
    MUBLAS_REPORT=$work/nowhere/report run -- sh -c 'exit 3'
    [ $? = 3 ] && one_line "mublas run: MUBLAS_REPORT=$work/nowhere/report: a report cannot be written there: there is no such folder.*standard error"
    result $? "one that the environment names so stops no program"
fi
refuses_report "$work" "it is a folder"
refuses_report "$work/nowhere/report" "there is no such folder"
refuses_report "$work/nowhere/report.%p" "there is no such folder"
refuses_report "$work/main.c/report" "Not a directory"
refuses_report "$work/$(printf '%0300d' 0)" "File name too long"
ln -s nowhere "$work/link"
refuses_report "$work/link" "symbolic links are not followed"
mkdir "$work/readonly"
unshare -rm sh -c 'mount -t tmpfs -o ro none "$1" 2> /dev/null || exit 77
    "$2" run --report="$1/report" -- touch "$3"' sh "$work/readonly" "$build/mublas" "$work/ran" 2> "$work/errors"
status=$?
if [ $status = 2 ]; then
    one_line "readonly/report: a report cannot be written there: Read-only file system" && [ ! -e "$work/ran" ]
    result $? "a report on a file system that cannot be written"
else
    skip "a report on a file system that cannot be written" "none can be mounted here ($status)"
fi
if [ -z "$sanitizers" ]; then # whose runtime ls has not
    ls -A "$work" > "$work/before"
    run --report="$work/report.txt" -- ls -A "$work" && cmp -s "$work/before" "$work/output"
    result $? "nothing is left of the trial"
fi
( cd "$work" && "$build/mublas" run --report r.txt -- true > output 2> errors )
[ $? = 127 ] && one_line "r.txt: no such program; --report=r.txt writes the report to that file"
result $? "--report FILE hints at ="
run -- "$work"
[ $? = 126 ] && one_line "$work"
result $? "a folder is not run"
if [ -z "$sanitizers" ]; then
    printf 'printf "%%s|" "$0" "$@"; exit 3\n' > "$work/nameless" && chmod +x "$work/nameless"
    run -- "$work/nameless" 'a b' ''
    [ $? = 3 ] && [ "$(cat "$work/output")" = "$work/nameless|a b||" ]
    result $? "a script whose first line names no program is the shell's"
fi
printf 'exit 3\0\n' > "$work/nameless" && chmod +x "$work/nameless"
run -- "$work/nameless"
[ $? = 126 ] && one_line "nameless: Exec format error"
result $? "but not what is no text"
echo "1..$number"

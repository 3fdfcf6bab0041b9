#!/bin/bash
# `mublas run`: sets the program up, passes everything on, refuses what cannot work.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset MUBLAS_TEST_SHIM MUBLAS_REPORT MUBLAS_OFFLOAD MUBLAS_RECIPE GLIBC_TUNABLES LD_PRELOAD
use_emulated_driver
use_reference_libraries
run() { "$build/mublas" run "$@" > "$work/output" 2> "$work/errors"; }
one_line() { [ "$(wc -l < "$work/errors")" = 1 ] && grep -q "$1" "$work/errors"; }

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
run -- "$work/privileged"
[ $? = 126 ] && one_line "set-user-id"
result $? "a set-user-id program is refused with the reason"
run -- "$work"
[ $? = 126 ] && one_line "$work"
result $? "a folder is not run"
echo "1..$number"

#!/bin/bash
# A program whose locale has a decimal comma: the report, as text and as page, and the recipe that is read and the
# lines of the log have points, whatever the way into the program.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/comma_locale.sh"
unset MUBLAS_RECIPE LC_ALL
comma_locale || { echo "1..0 # SKIP localedef makes no locale here"; exit; }
use_emulated_system
export HOME=$work XDG_CONFIG_HOME=$work
cases=tests/system/cases

# program WAY MODE DESTINATION [thread]
program()
{
    local program=$cases/locale_report preload=$shim_preload
    [ "$1" = shim ] || program=$cases/linked/locale_report preload=$sanitizer_preload
    rm -f "$work"/report* "$work/output" "$work/errors"
    MUBLAS_VERBOSE=2 MUBLAS_OFFLOAD=$2 MUBLAS_REPORT=$work/$3 LD_PRELOAD=$preload with_commas "$program" ${4:+"$4"} \
        > "$work/output" 2> "$work/errors" && ! grep -q DIFFERS "$work/output"
}
has_points() { grep -qE '[0-9]\.[0-9]' "$1" && ! grep -E '[0-9],[0-9]' "$1" > "$work/report.commas"; }

for way in shim linked; do
    for mode in auto always; do
        for kind in "" thread; do
            program $way $mode report $kind && has_points "$work/report"
            result $? "text, $way, $mode${kind:+, a locale of the thread alone}"
            program $way $mode report.html $kind && has_points "$work/report.html"
            result $? "page, $way, $mode${kind:+, a locale of the thread alone}"
        done
    done
done
program shim always report && grep -q 'warmed up\|opened\|woken\|awake' "$work/errors" && ! grep -qE '[0-9],[0-9]' "$work/errors"
result $? "the log's lines"
echo "1..$number"

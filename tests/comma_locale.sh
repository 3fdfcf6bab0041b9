# shellcheck shell=bash
# Sourced after tap.sh: a locale of a decimal comma and of groups of digits, made in $work, so that it is there on
# every machine. with_commas COMMAND...: runs it in that locale, if it asks for its own.
comma_locale()
{
    printf '%s\n' LC_NUMERIC 'decimal_point ","' 'thousands_sep "."' 'grouping 3;3' 'END LC_NUMERIC' > "$work/comma"
    localedef -c -i "$work/comma" "$work/xx_XX" 2> /dev/null
    [ -f "$work/xx_XX/LC_NUMERIC" ]
}
with_commas() { LOCPATH=$work LC_NUMERIC=xx_XX "$@"; }

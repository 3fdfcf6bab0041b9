#!/bin/bash
# bash's offers on the command line of mublas: every command and option of --help, and their values.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/src/command/completion/mublas"
compopt() { :; } # works only while bash completes
mkdir "$work/files" "$work/files/folder"
touch "$work/files/data.csv" "$work/files/recipe"
cd "$work/files" || exit 1

# offers LINE: what there is for the cursor at its end, words as bash splits them there.
offers()
{
    local part
    COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=()
    for part in ${1//=/ = }; do COMP_WORDS+=("$part"); done
    [[ $1 != *" " && $1 != *= ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _mublas
    printf '%s\n' "${COMPREPLY[@]}" > "$work/output"
}
only() { [ "$(sort "$work/output" | tr '\n' ' ')" = "$1 " ]; }
has() { grep -qxF -e "$1" "$work/output"; }

offers "mublas d"
only doctor
result $? "a command"
offers "mublas "
told=$("$build/mublas" --help | sed -n 's/^mublas \([a-z][a-z]*\).*/\1/p' | sort -u)
missing=
for command in $told; do has "$command" || missing+=" $command"; done
[ "$(wc -w <<< "$told")" -ge 6 ] && [ -z "$missing" ]
result $? "all commands of mublas --help${missing:+, but not$missing}"
for command in $told; do
    offers "mublas $command --"
    missing=
    for option in $("$build/mublas" "$command" --help | sed '/^Examples/,$d' |
        grep -oE -e '--[a-z][a-z-]+' | sort -u); do
        has "$option" || has "$option=" || missing+=" $option"
    done
    [ -z "$missing" ] && has --help
    result $? "all options of mublas $command --help${missing:+, but not$missing}"
done
offers "mublas help r"
only "report run"
result $? "a command to be told of"
offers "mublas run --offload=al"
only always
result $? "the value of an option"
offers "mublas run --offload="
only "always auto never"
result $? "all of its values"
offers "mublas tune --output=re"
only recipe
result $? "a file"
offers "mublas report --tuning "
only "data.csv folder recipe"
result $? "a file behind --tuning"
offers "mublas report --tuning recipe --output "
only folder
result $? "a folder behind --output"
offers "mublas run --report -- bas"
has bash
result $? "a program"
offers "mublas run --offload=never ./da"
only ./data.csv
result $? "a program by its path"
offers "mublas run -- bash da"
only data.csv
result $? "a file for the program"
offers "mublas run -- bash --"
[ ! -s "$work/output" ] || only ""
result $? "but no option of mublas for it"
_command_offset() { COMPREPLY=("offset $1"); }
offers "mublas run --report -- bash da"
only "offset 4"
result $? "the program's own completion, where bash-completion is loaded"
echo "1..$number"

#!/bin/bash
# Messages on calls that are long on the device: once for each, on a terminal again and again, by default nothing.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
programs_are_built || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }

line='mublas: dsyevd of order 40 is on the device, for about [0-9.e-]* s in all$'
lines_of_calls() { grep -c "^$line" "$work/errors"; }
said_nothing() { ! [ -s "$work/errors" ]; }

# Two dsyevd of order 40, for each of which the program waits twice, or more often, for as long as this.
export EMULATED_DELAY=1300
slow() { passes_through_shim refused slow 40 2; }
by_default() { slow && said_nothing; }
verbose() { MUBLAS_VERBOSE=2 slow && [ "$(lines_of_calls)" = 2 ] && ! grep -q $'\r' "$work/errors"; }
progress() { MUBLAS_PROGRESS=1 slow && [ "$(lines_of_calls)" = 2 ] && [ "$(wc -l < "$work/errors")" = 2 ]; }

on_terminal()
{
    ( use_emulated_system
      export MUBLAS_OFFLOAD=always EMULATED_DELAY=2600
      script -qec "$build/mublas run --progress -- $program_folder/refused slow 40 1" /dev/null ) \
        < /dev/null > "$work/output" 2>&1
    tr '\r' '\n' < "$work/output" > "$work/lines"
    grep -q "^ok 1" "$work/lines" && grep -q "^$line" "$work/lines" &&
        [ "$(grep -c '^mublas: dsyevd of order 40: [0-9]* s of about ' "$work/lines")" -ge 2 ] &&
        grep -q '^mublas: dsyevd of order 40: .*, done$' "$work/lines"
}

through_shim() # VARIABLE=VALUE... PROGRAM [ARGUMENT...]
{
    ( use_emulated_system
      exec env LD_PRELOAD="$shim_preload" MUBLAS_OFFLOAD=always MUBLAS_PROGRESS=1 "$@" )
}

to_nowhere()
{
    through_shim $program_folder/refused slow 40 1 > "$work/output" 2> /dev/full &&
        grep -q '^ok 1' "$work/output"
}

tiles()
{
    through_shim MUBLAS_DEVICE_MEMORY=60K EMULATED_DELAY=2600 tests/system/tiled_long \
        > "$work/output" 2> "$work/errors" &&
        grep -q '^mublas: dgemm of order 60 is on the device' "$work/errors"
}

# A short call would be long beside the others on a busy machine.
EMULATED_DELAY=0 MUBLAS_PROGRESS=1 slow && said_nothing
result $? "with MUBLAS_PROGRESS=1 nothing is said of calls that are short"

for name in by_default verbose progress to_nowhere tiles; do
    aside $name $name
done
if [ -n "$sanitizers" ]; then
    skip "on a terminal" "their runtimes come first in LD_PRELOAD"
elif ! command -v script > /dev/null; then
    skip "on a terminal" "there is no script(1)"
else
    on_terminal
    result $? "on a terminal the line is renewed, by mublas run --progress"
fi
result_of by_default "by default nothing is said"
result_of verbose "with MUBLAS_VERBOSE=2 one line for each call"
result_of progress "with MUBLAS_PROGRESS=1 nothing else"
result_of to_nowhere "what cannot be written is nobody's error"
result_of tiles "of level 3 in tiles"
echo "1..$number"

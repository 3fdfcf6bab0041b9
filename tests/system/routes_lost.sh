#!/bin/bash
# A device that is lost in any call of a run in which results come home by mirrors: the host gives the right
# results, or the program stops since one operand was overwritten already. Only the last of each kind of call
# comes after that.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
[ -x $program_folder/solved ] || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }

is_right_or_stops() # FUNCTION CALL CALLS
{
    EMULATED_FAULTS=$1:$2:719:sticky passes_through_shim solved && return
    [ "$2" = "$3" ] && grep -q '^mublas: .*they are lost' "$work/errors"
}

lose_all() # FUNCTION
{
    local calls call wrong=
    calls=$(called "$1")
    for ((call = 1; call <= calls; call++)); do
        is_right_or_stops "$1" "$call" "$calls" || wrong="$wrong $call"
    done
    [ "$calls" -gt 0 ] && [ -z "$wrong" ]
    result $? "the device is lost in each of $calls calls of $1${wrong:+, wrong:$wrong}"
}

rm -f "$work/counts"
EMULATED_COUNT_FILE=$work/counts passes_through_shim solved && [ "$(ran dgesv 3)" = 1 ]
result $? "dgesv of a matrix that was on the device: $(sed -n 1p "$work/output")"
for function in COPY_BACK KERNEL cuLaunchKernel cuMemcpyDtoHAsync_v2 cuStreamSynchronize cuEventRecord cuEventSynchronize; do
    lose_all $function
done
echo "1..$number"

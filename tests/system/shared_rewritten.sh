#!/bin/bash
# Level 3 calls that fit one device, where two would be faster if their matrices had to go up: matrices that stay
# are kept on one, those that the program writes anew before each call are shared.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
use_emulated_system
export EMULATED_DEVICES=2 EMULATED_MULTIPROCESSORS=4 MUBLAS_DEVICE=0,1 MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=2

run() # kept|rewritten [SETTING...]
{
    timeout -k 5 300 env LD_PRELOAD="$shim_preload" "${@:2}" tests/system/shared_rewritten "$1" > "$work/output" 2> "$work/errors"
}
shared() { grep -c "level 3 call of .* groups for device 1\$" "$work/errors"; }

run kept && [ "$(shared)" = 0 ]
result $? "matrices that stay: none of 12 calls is shared ($(shared)); $(cat "$work/output")"
run rewritten && [ "$(shared)" -ge 5 ]
result $? "matrices that are rewritten: $(shared) of 12 are shared; $(cat "$work/output")"
run rewritten MUBLAS_DEVICE=0 && [ "$(shared)" = 0 ]
result $? "one device: none is; $(cat "$work/output")"
echo "1..$number"

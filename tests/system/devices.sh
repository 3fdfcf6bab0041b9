#!/bin/bash
# Several devices in one process, unlike each other and without access to each other's memory: which they are,
# that calls of several threads go to all of them with results right and the same bits, and that one that is lost
# is left alone while the others go on.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
unset MUBLAS_DEVICE MUBLAS_DEVICE_MEMORY CUDA_VISIBLE_DEVICES
export EMULATED_DEVICES=3 EMULATED_DEVICE_MEMORY=2G,1G,512M EMULATED_MULTIPROCESSORS=132,20,7 EMULATED_PEER=0
export EMULATED_NAMES="Large device,Small device,Smallest device"

level2() # DEVICES [SETTING...]: all right, its digest in $work/digest
{
    ( use_emulated_system
      export LD_PRELOAD=$shim_preload MUBLAS_OFFLOAD=always
      timeout -k 5 300 env MUBLAS_DEVICE="$1" MUBLAS_REPORT="$work/report" "${@:2}" tests/system/devices \
          > "$work/digest" 2> "$work/errors" )
}
# The report's calls of BLAS, and of LAPACK, on the device with this ordinal; -1: it is not in the report.
calls_on() { sed -n "s/^  device .*; device $1 by .*; \([0-9]*\) calls\{0,1\} of BLAS .*/\1/p" "$work/report" | grep . || echo -1; }
routes_on() { sed -n "s/^  device .*; device $1 by .* and \([0-9]*\) of LAPACK; .*/\1/p" "$work/report" | grep . || echo -1; }
all_ran() { awk '$1 == "total" { right = $3 > 0 && $4 == 0 } END { exit !right }' "$work/report"; }

level2 auto && all_ran && cp "$work/digest" "$work/one" && [ "$(grep -c '^  device ' "$work/report")" = 1 ]
result $? "by default one device: digest $(cat "$work/digest")"
level2 2 && all_ran && cmp "$work/digest" "$work/one" && grep -q 'Smallest device; device 2 by MUBLAS_DEVICE=2;' "$work/report"
result $? "the same bits on another device"
level2 1,0 && all_ran && cmp "$work/digest" "$work/one" && [ "$(calls_on 0)" -gt 0 ] && [ "$(calls_on 1)" -gt 0 ] && [ "$(calls_on 2)" = -1 ]
result $? "the same bits on two: $(calls_on 1) and $(calls_on 0) calls"
level2 all && all_ran && cmp "$work/digest" "$work/one" && [ "$(calls_on 0)" -gt 0 ] && [ "$(calls_on 1)" -gt 0 ] && [ "$(calls_on 2)" -gt 0 ]
result $? "the same bits on three: $(calls_on 0), $(calls_on 1) and $(calls_on 2) calls"
[ ! -s "$work/errors" ]
result $? "without a message"

level2 0,7 && all_ran && cmp "$work/digest" "$work/one" &&
    [ "$(cat "$work/errors")" = "mublas: MUBLAS_DEVICE=0,7: there is no device 7; it is left out" ]
result $? "one that is not there is left out with one line"
level2 0,,1 && [ "$(wc -l < "$work/errors")" = 1 ] && grep -q "^mublas: MUBLAS_DEVICE='0,,1' is not auto|all|N\[,N...\]; using auto" "$work/errors"
result $? "a bad list: one line that names the setting"

# Lost in the middle: what it had to do is done by the host, and the others go on.
lost() # DEVICE CALL
{
    level2 all EMULATED_FAULTS="cuLaunchKernel@$1:$2:719:sticky" &&
        grep -q "device $1 by .*calls" "$work/report" && grep -q "(given up); device $1 by" "$work/report" &&
        [ "$(grep -c '(given up)' "$work/report")" = 1 ] &&
        [ "$(grep -c "^mublas: device $1 is left alone from now on" "$work/errors")" = 1 ]
}
lost 1 5 && [ "$(calls_on 0)" -gt 20 ] && [ "$(calls_on 2)" -gt 5 ]
result $? "the second is lost: $(calls_on 0), $(calls_on 1) and $(calls_on 2) calls, all right"
lost 0 5 && [ "$(calls_on 1)" -gt 20 ] && [ "$(calls_on 2)" -gt 5 ]
result $? "the first is lost: $(calls_on 0), $(calls_on 1) and $(calls_on 2) calls"
level2 0,1 EMULATED_FAULTS="cuDevicePrimaryCtxRetain@0:1:2" && all_ran && cmp "$work/digest" "$work/one" && [ "$(calls_on 1)" -gt 0 ]
result $? "the first cannot be had: the second does all"

"$build/mublas" info --settings | grep -A1 MUBLAS_DEVICE= | grep -q 'auto|all|N\[,N...\]'
result $? "the table of settings says what it takes"
( use_emulated_driver; MUBLAS_DEVICE=2,0 "$build/mublas" info ) > "$work/info" 2>&1
[ "$(grep -c '^device [02]: ' "$work/info")" = 2 ] && sed -n '/^device 2: Smallest/,$p' "$work/info" | grep -q '^device 0: Large device'
result $? "mublas info shows each device"

[ -x $program_folder/threads ] || { echo "1..$number"; exit 0; }

# Routes of LAPACK.
export MUBLAS_DEVICE=0
passes_through_shim threads && grep digest "$work/output" > "$work/one"
result $? "eight threads of dsyevd on one device"
export MUBLAS_DEVICE=0,2
passes_through_shim threads && grep digest "$work/output" | cmp - "$work/one" && [ "$(ran dsyevd 4)" = 0 ]
result $? "on two all are right, with the same bits, and none on the host"
[ "$(routes_on 0)" -gt 0 ] && [ "$(routes_on 2)" -gt 0 ]
result $? "both are used: $(routes_on 0) and $(routes_on 2)"
EMULATED_FAULTS="cuLaunchKernel@2:9:719:sticky" passes_through_shim threads && grep -q "(given up); device 2 by" "$work/report"
result $? "the second is lost: all are right"
[ "$(grep -c '(given up)' "$work/report")" = 1 ] && [ "$(routes_on 0)" -ge 12 ]
result $? "and the first goes on: $(routes_on 0) and $(routes_on 2)"
echo "1..$number"

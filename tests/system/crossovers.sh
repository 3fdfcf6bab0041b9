#!/bin/bash
# Calls made under the shim teach what gains, and decisions follow it. On the emulated device nothing ever gains, by a
# factor of many.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
unset OMP_NUM_THREADS OPENBLAS_NUM_THREADS
if [ -n "$sanitizers" ]; then
    echo "1..0 # SKIP a sanitized library cannot be loaded by the program that is started anew"
    exit 0
fi
use_emulated_system
crossovers() { rm -f "$work/lines"; bench/crossovers "$@" > "$work/output" 2> "$work/errors"; }

OMP_NUM_THREADS=1 crossovers --routines=dsymv,saxpy --bytes=262144 --seconds=300 --calls=4 --save="$work/lines" --output="$work/calls"
[ $? = 0 ] && grep -q '^2 of 2 routines pass; 8 of 8 calls are good$' "$work/output" &&
    [ "$(grep -c ' never ' "$work/output")" = 2 ]
result $? "never is learned, and kept to"
grep -qx "host-blas $(readlink -f "$host_blas")" "$work/lines" && grep -qx 'host-threads 1' "$work/lines"
result $? "for the host BLAS that programs get and its threads"
awk '$1 == "host" || $1 == "device" { for (i = 4; i <= NF; i += 2) bad += !($i > 0); curves[$1 " " $2]++ }
     END { exit !(!bad && curves["host dsymv"] && curves["device dsymv"] && curves["host saxpy"] &&
                  curves["device saxpy"] && curves["host dsymv_upper"] && curves["device dsymv_upper"] &&
                  length(curves) == 6) }' "$work/lines"
result $? "a curve of each side, of what was asked for alone"
grep -q '^wake [1-9]' "$work/lines" # uploads drown in the emulated kernels' noise
result $? "waking the device has its figure"
[ "$(grep -c '^dsymv,.*,host,' "$work/calls")" = 4 ]
result $? "every judged call is kept"
# host_us, column 10, of the times in column 20: fewer than ten where one side is far ahead; what takes more
# than twice as long as the least does not count.
tail -n +2 "$work/calls" | awk -F, '{ n = split($20, us, " "); bad += n < 3 || n > 10; mean = 0
        for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (us[j] + 0 < us[i] + 0) { kept = us[i]; us[i] = us[j]; us[j] = kept }
        counted = n; while (us[counted] + 0 > 2 * us[1]) counted--
        for (i = 1; i <= counted; i++) mean += us[i] / counted
        bad += mean - $10 > 0.002 * mean + 0.002 || $10 - mean > 0.002 * mean + 0.002 } END { exit !(NR && !bad) }'
result $? "the time of three to ten is the mean of the usual ones"
CUDA_VISIBLE_DEVICES= crossovers --routines=dsymv --bytes=262144 --seconds=10 --save="$work/lines"
[ $? = 1 ] && [ "$(wc -l < "$work/errors")" = 1 ] &&
    grep -q 'no call ran on the device: no usable device' "$work/errors" &&
    [ ! -e "$work/lines" ]
result $? "without a device nothing is learned, in one line"
crossovers --routines=dsymv --bytes=262144 --recipe="$work/lines" --processes=0
[ $? = 2 ] && grep -q "'--processes=0' wants a number from 1 to 8" "$work/errors"
result $? "judging by no process is refused"
crossovers --routines=dsyr2
[ $? = 2 ] && grep -q "'dsyr2' is not an offloaded routine" "$work/errors"
result $? "a routine that is not offloaded is named"
echo "1..$number"

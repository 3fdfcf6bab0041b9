#!/bin/bash
# Small cases of the eigensolver's kept digests, on devices of some numbers of multiprocessors, and by
# clusters; but for those that a GPU alone has (eigen_digests.c).
. tests/environment.sh
use_emulated_driver
. "$source_tree/tests/tap.sh"
export EMULATED_COOPERATIVE=1
kept=$source_tree/tests/gpu/eigen_digests.txt

# check MULTIPROCESSORS ARGUMENT...: all cases are equal, and the device holds them.
check()
{
    EMULATED_MULTIPROCESSORS=$1 tests/gpu/eigen_digests --leave-out stedc "${@:2}" > "$work/output" 2> "$work/errors" &&
        tail -n 1 "$work/output" | grep -q ', 0 not for this device$'
}
equal()
{
    check "$1" --check "$kept" "${@:2}"
    result $? "$1 multiprocessors, ${*:2}: $(tail -n 1 "$work/output")"
}

equal 3 --max-n 64
! grep -v 'cluster\|panel of a larger\|divide' "$work/output" | grep -q ': 0$'
result $? "by every way but those of clusters, of larger matrices and of divide and conquer"
EMULATED_SEED=2 equal 4 --max-n 64 --part 1/4
equal 5 --only dsytrd-u-65
equal 5 --multiprocessors 3 --only ssytrd-l-6 --max-n 65

EMULATED_CLUSTER=16 check 5 --check "$kept" --only zhetrd-u-3 --max-n 33 &&
    [ "$(grep -c '^on the chip, .*: 4$' "$work/output")" = 3 ]
result $? "4 cases by all multiprocessors, by clusters of 16 and of 8 have the same bits, the kept ones"

sed 's/^\(dstebz-\* .*\<3=\)[0-9a-f]*/\10000000000000000/' "$kept" > "$work/other"
check 3 --check "$work/other" --only dstebz-3 --max-n 3
[ $? = 1 ] && grep -q '^dstebz-3: .*, kept was ' "$work/output"
result $? "another digest is found out"

check 5 --check "$kept" --multiprocessors 2 --only dsytrd-l-65
[ $? = 1 ] && grep -q '^0 of 0 cases equal, 1 not for this device$' "$work/output"
result $? "what the device does not hold is counted, and nothing else is no success"
echo "1..$number"

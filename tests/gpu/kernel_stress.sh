#!/bin/bash
# The kernels again and again on two streams beside a third, with blocks on several threads: as
# they are chosen, which for small sizes is without tickets but for trmv; then some of several
# tiles with every shape and variant.
. tests/environment.sh
only_on_day STRESS_FULL 1
use_emulated_driver
. "$source_tree/tests/tap.sh"
[ -z "$sanitizers" ] ||
    { echo "1..0 # SKIP bits are no matter of sanitizers, under which test_kernels has every shape"; exit; }
stressed()
{
    local what=$1
    shift
    EMULATED_BLOCK_THREADS=3 tests/gpu/kernel_digests --stress 2 --check "$source_tree/tests/gpu/kernel_digests.txt" \
        "$@" > "$work/output" 2> "$work/errors"
    result $? "$(tail -n 1 "$work/output") over repeated runs on streams side by side, $what"
}
stressed "as chosen" --max-n 66
for name in sgemv-n-130x130 dgemv-t-130x130 ssymv-l-130 dsymv-u-130 chemv-lr-130 zhemv-un-130 wsymv-l-130 dtrmv-utn-130; do
    stressed "$name by every shape" --max-n 130 --edges --only $name
done
echo "1..$number"

#!/bin/bash
# The kernels again and again on two streams beside a third, with blocks on several threads.
. tests/environment.sh
use_emulated_driver
echo 1..1
report=$(EMULATED_BLOCK_THREADS=3 tests/gpu/kernel_digests --max-n 66 --stress 2 \
    --check "$source_tree/tests/gpu/kernel_digests.txt" 2>&1)
if [ $? -eq 0 ]; then
    echo "ok 1 - $(tail -n 1 <<< "$report") over repeated runs on streams side by side"
else
    echo "not ok 1 - kernels keep their bits over repeated runs on streams side by side"
    sed 's/^/# /' <<< "$report"
fi

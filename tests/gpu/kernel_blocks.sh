#!/bin/bash
# The kernels with their blocks on several threads at once, in any order: under
# ThreadSanitizer what a ticket does not order is a reported race.
. tests/environment.sh
[[ $sanitizers != *address* ]] ||
    { echo "1..0 # SKIP what blocks do to each other is ThreadSanitizer's to see"; exit; }
use_emulated_driver
EMULATED_BLOCK_THREADS=3 exec tests/gpu/test_kernels 130 blocks

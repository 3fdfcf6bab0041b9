#!/bin/bash
# The kernels with their blocks on several threads at once, in any order: under
# ThreadSanitizer what a ticket does not order is a reported race.
. tests/environment.sh
use_emulated_driver
EMULATED_BLOCK_THREADS=3 exec tests/gpu/test_kernels 130 blocks

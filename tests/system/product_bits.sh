#!/bin/bash
# product_bits.c, with every call offloaded.
. tests/environment.sh
exec bash "$source_tree/tests/run_offloaded.sh" tests/system/product_bits

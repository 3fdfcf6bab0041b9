#!/bin/bash
# coherence.sh on a device that copies by the host's page tables, as Grace's: without staging and pins, and what it
# writes leaves its mark there.
. tests/environment.sh
export EMULATED_HOST_PAGE_TABLES=1 MUBLAS_TRUST_TRACKING=1 MUBLAS_VERBOSE=0 # see coherence.sh
exec bash "$source_tree/tests/run_offloaded.sh" tests/system/coherence 4 2000 200 2 pins faults

#!/bin/bash
# coherence.sh on three devices, unlike each other and without access to each other's memory: calls of threads on
# the same matrices go to all of them.
. tests/environment.sh
steps=4000
[ -z "$sanitizers" ] || steps=1000
export EMULATED_DEVICES=3 EMULATED_DEVICE_MEMORY=2G,1G,512M EMULATED_PEER=0 MUBLAS_DEVICE=all
export MUBLAS_TRUST_TRACKING=1 MUBLAS_VERBOSE=0 # see coherence.sh
exec bash "$source_tree/tests/run_offloaded.sh" tests/system/coherence 3 $steps 200 6 pins faults

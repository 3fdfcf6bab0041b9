#!/bin/bash
# Random host writes of every kind between random calls, all of them offloaded: while the driver
# fails now and then, and in the end beside the program's own use of CUDA. More of it by
# hand: coherence_long.sh.
. tests/environment.sh
steps=6000
# The emulated driver's pins count huge pages whole, however few of their pages are in the
# pin: mublas would take that for a stranger's.
export MUBLAS_TRUST_TRACKING=1 MUBLAS_VERBOSE=0
exec bash "$source_tree/tests/run_offloaded.sh" tests/system/coherence 2 $steps 200 2 pins faults

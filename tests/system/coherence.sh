#!/bin/bash
# Random host writes of every kind between random calls, all of them offloaded.
. tests/environment.sh
steps=10000
[ -z "$sanitizers" ] || steps=3000
# The emulated driver's pins count huge pages whole, however few of their pages are in the
# pin: mublas would take that for a stranger's.
export MUBLAS_TRUST_TRACKING=1
exec bash "$source_tree/tests/run_offloaded.sh" tests/system/coherence 1 $steps

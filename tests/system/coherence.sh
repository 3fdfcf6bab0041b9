#!/bin/bash
# Random host writes of every kind between random calls, all of them offloaded.
. tests/environment.sh
steps=10000
[ -z "$sanitizers" ] || steps=3000
exec bash "$source_tree/tests/run_offloaded.sh" tests/system/coherence 1 $steps

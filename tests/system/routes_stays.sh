#!/bin/bash
# A factor stays on the device from the route that writes it to those that read it, or write over it; whatever the
# program does to it meanwhile is seen. routes/stays.c says what is called.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
programs_are_built || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }

# sent ROUTINE LEAST MOST: megabytes up, by the report
sent() { awk -v name="$1" -v least="$2" -v most="$3" '$1 == name && $3 > 0 && $5 >= least && $5 <= most { found = 1 } END { exit !found }' "$work/report"; }
all_ran() { [ "$(ran dpotrf 2)" -gt 0 ] && [ "$(ran dpotrf 4)$(ran dpotrs 4)$(ran dtrtri 4)$(ran dtrsm 4)$(ran dgemv 4)" = 00000 ]; }

passes_on_reference stays writes && passes_on_reference stays beside
result $? "on the plain host"
passes_through_shim stays loop || exit 1
if grep -q 'could not track writes' "$work/report"; then
    skip "a factor that stays" "this kernel tracks no writes"
else
    # Four triangles of order 230 are 0.85 MB, right-hand sides of each call 5.5 KB.
    sent dpotrf 0.8 0.9 && sent dpotrs 0.0 0.1 && sent dtrsm 0.0 0.2 && sent dtrtri 0.0 0.0 && sent dpotri 0.0 0.0
    result $? "what dpotrf and dtrtri have written is not sent again"
fi
passes_through_shim stays writes && all_ran
result $? "the program's writes are seen"
passes_through_shim stays beside && all_ran
result $? "and other threads'"
MUBLAS_DEVICE_MEMORY=4M passes_through_shim stays writes
result $? "in little device memory"
MUBLAS_TRACKING=0 passes_through_shim stays writes
result $? "without tracking"
echo "1..$number"

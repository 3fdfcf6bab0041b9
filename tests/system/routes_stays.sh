#!/bin/bash
# A factor stays on the device from the route that writes it to those that read it, or write over it; whatever the
# program does to it meanwhile is seen. routes/stays.c says what is called.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
programs_are_built || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }

# sent ROUTINE LEAST MOST [EACH]: megabytes up, by the report, beside so many for each call on the device
sent()
{
    awk -v name="$1" -v least="$2" -v most="$3" -v each="${4:-0}" '
        $1 == name && $4 ~ /^[0-9]+$/ && $3 > 0 { up = $5 - each * $3; found = up >= least && up <= most }
        END { exit !found }' "$work/report"
}
all_ran() { [ "$(ran dpotrf 2)" -gt 0 ] && [ "$(ran dpotrf 4)$(ran dpotrs 4)$(ran dtrtri 4)$(ran dtrsm 4)$(ran dgemv 4)" = 00000 ]; }

passes_on_reference stays writes && passes_on_reference stays beside
result $? "on the plain host"
passes_through_shim stays loop 4 || exit 1
if grep -q 'could not track writes' "$work/report"; then
    skip "a factor that stays" "this kernel tracks no writes"
else
    # Four triangles of order 230 are 0.85 MB, right-hand sides of a dpotrs 0.11.
    sent dpotrf 0.8 0.9 && sent dpotrs -0.1 0.1 0.1104 && sent dtrsm 0 0.2 && sent dtrtri 0 0 && sent dpotri 0 0
    result $? "what dpotrf and dtrtri have written is not sent again"
    # The device is woken for little, the host's LAPACK is slow, and cuSOLVER is paid for by half of the calls. Five factors
    # are sent before that has paid.
    slow=("wake 800")
    for curve in values vectors level3 singular; do slow+=("route host real $curve 10"); done
    passes_by_recipe "${slow[@]}" -- stays loop 28 && [ "$(ran dpotrf 3)" -ge 8 ] && sent dpotrs 0.5 1.2 0.1104 &&
        sent dtrtri 0.1 0.5 && sent dpotri 0 0.5
    result $? "nor in auto mode, once that has paid: of $(ran dpotrf 3) dpotrf"
    # A call saves 1 ms, and sending the matrix takes 3.4: six calls pay for that, as is known after two matrices.
    passes_by_recipe "host dgemv_none_square 100 1100 1000000 1100" "device dgemv_none_square 100 100 1000000 100" \
        "upload pinned 1000 10 2500000 20000" "wake 1000" -- stays products 8 && [ "$(ran dgemv 3)" -ge 36 ]
    result $? "a matrix that is rewritten and used six times goes there each time: $(ran dgemv 3) of 48 calls"
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

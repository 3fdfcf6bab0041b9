#!/bin/bash
# The device's memory, between clients of a service: equal shares where so many are expected, all of it for who is alone.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/service.sh"
use_emulated_driver
use_reference_libraries
export EMULATED_DEVICE_MEMORY=512M EMULATED_POISON=0

take() # NAME [WHAT OF service_taker]: a client that takes what it gets, and keeps it
{
    mkfifo "$work/$1.keep"
    tests/unit/service_taker ${2+"$2"} < "$work/$1.keep" > "$work/$1" &
    exec {keep}> "$work/$1.keep"
    keeps[$1]=$keep
    takers[$1]=$!
    until_true test -s "$work/$1"
    read -r has _ < "$work/$1"
}
# The last of those that were started before: each has the others' ends, too.
let_go()
{
    local name
    for name; do keep=${keeps[$name]}; exec {keep}>&-; rm "$work/$name.keep"; done
    for name; do wait "${takers[$name]}" || return; done
}
declare -A keeps takers

# A service's preparations take memory, too.
OMPI_COMM_WORLD_LOCAL_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=0 start_service --keep && await_warm_service
take one && one=$has && take two mapped && two=$has
cat "$work/one" "$work/two" > "$work/output"
[ "$one" -gt 200 ] && [ "$one" -le 256 ] && [ "$two" -gt 200 ] && [ "$two" -le 256 ]
result $? "the first of two that are expected leaves the second its half"
grep -q ' [0-7] free' "$work/one"
result $? "and is told that there is no more for it"
let_go one two && stop_service
result $? "the service ends"

start_service --keep && await_warm_service
take three && three=$has
[ "$three" -gt 400 ]
result $? "one that is alone has all"
# Its memory comes back a moment after its end.
takes_all() { take four mapped && [ "$has" -gt 400 ] || ! let_go four; }
let_go three && until_true takes_all
result $? "and leaves it to the next, as memory of another kind"
let_go four && take five leaves && await_no_client && tests/unit/service_taker writes && let_go five && grep -qx kept "$work/five"
result $? "pinned memory of one that has left is nobody's as long as it lives"
stop_service
result $? "the service ends"

echo "1..$number"

#!/bin/bash
# Parallel routines where something goes wrong: every case ends by itself, its results are the host's or right, and
# no process, socket or page of it remains. A sample, another one every day; SCALAPACK_FULL=1 has all, and fails more
# of the driver's calls.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/mpi/mpi.sh"
skip_without_scalapack
alone
use_emulated_system
program=tests/mpi/parallel_faults
[ -z "$SCALAPACK_FULL" ] && driver_failures=2 || driver_failures=1000
sampled SCALAPACK_FULL=1

# with RANK SETTING: that is set on this rank alone.
# shellcheck disable=SC2016
with() { one_rank=(env "ONE_RANK=$1" sh -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != "$ONE_RANK" ] || export "'"$2"'"; exec "$@"' sh); }
one_rank=()

through_mublas() # CASE
{
    PARALLEL_PIDS=$work/pid on_ranks 4 60 env MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=3 LD_PRELOAD="$shim_preload" \
        "${one_rank[@]}" $program "$1"
}
right() { [ "$(grep -c '^rank [0-3] right$' "$work/output")" = 4 ]; }
# Lines of a routine, of all ranks.
lines() { cat "$work"/log.* | grep -c "^mublas: $1"; }
nothing_left()
{
    local left
    left=$(leftovers)
    [ -z "$left" ] || echo "# left behind: $left"
    [ -z "$left" ]
}
# check CASE DEVICE HOST WHAT: so many lines that say device, and so many of another answer.
check()
{
    through_mublas "$1" && right && [ "$(lines 'p[a-z]*: device')" = "$2" ] &&
        [ "$(lines 'p[a-z]*: [^d]')" = "$3" ] && nothing_left
    result $? "$4"
    one_rank=()
}
# The host's answers of a case, and mublas'.
same_as_host() # CASE DEVICE HOST WHAT
{
    on_ranks 4 60 $program "$1"
    sort "$work/output" > "$work/of.host"
    through_mublas "$1"
    sort "$work/output" > "$work/of.mublas"
    right && cmp -s "$work/of.host" "$work/of.mublas" && [ "$(lines 'p[a-z]*: device')" = "$2" ] &&
        [ "$(lines 'p[a-z]*: [^d]')" = "$3" ] && nothing_left
    result $? "$4"
    diff "$work/of.host" "$work/of.mublas" | sed 's/^/# /'
}

check plain 12 0 "three calls on four ranks run on the device"
check contexts 120 0 "a handle that is used again for grids of other ranks"
check many 800 0 "a context for each call: one arena, and no more files than before"
check threads 48 0 "two threads with a context each, one after the other"
! on_turn SCALAPACK_FULL || same_as_host query 4 4 "one rank asks for the workspace while the others call: INFO as the host says"
! on_turn SCALAPACK_FULL || same_as_host ld 4 4 "one rank with too small a leading dimension: INFO as the host says, on all"
! on_turn SCALAPACK_FULL || same_as_host info 4 16 "matrices that are not definite, singular or with NaN: INFO and content as the host's"
check inner 0 4 "what ScaLAPACK calls inside of a routine passes through"
! on_turn SCALAPACK_FULL || check undumpable1 12 0 "one rank that cannot be dumped"
! on_turn SCALAPACK_FULL || check undumpable-1 12 0 "nor any"
# A rank of -1: on all.
for case in room0 file0 file2 room2 room-1 file-1; do
    on_turn SCALAPACK_FULL || continue
    case $case in
    room*) check $case 4 8 "no room for what ranks share on rank ${case#room}: the host's" ;;
    file*) check $case 4 8 "a limit of files' size on rank ${case#file}: the host's, and nobody is killed" ;;
    esac
done

for setting in MUBLAS_TRACKING=0 MUBLAS_PARALLEL=never LD_PRELOAD=; do
    [ $setting = LD_PRELOAD= ] || on_turn SCALAPACK_FULL || continue
    with 1 $setting
    check plain 0 0 "one rank with $setting: nothing is served"
done

# The owner's device fails, at each of the calls in turn, or some of them.
rm -f "$work/calls"
with 0 "EMULATED_COUNT_FILE=$work/calls"
through_mublas plain
one_rank=()
awk '{ print $1 ":1"; if ($2 > 1) print $1 ":" $2; if ($2 > 3) print $1 ":" int($2 / 2) }' "$work/calls" > "$work/faults"
[ "$(wc -l < "$work/faults")" -gt 20 ]
result $? "the owner makes $(wc -l < "$work/calls") kinds of driver calls"
wrong=0 made=0
while read -r fault; do
    with 0 "EMULATED_FAULTS=$fault$([ $((RANDOM % 2)) = 0 ] || echo :719:sticky)"
    made=$((made + 1))
    through_mublas plain && right && nothing_left || { wrong=$((wrong + 1)); echo "# ${one_rank[4]}"; cat "$work/output"; }
done < <(shuf -n $driver_failures "$work/faults")
one_rank=()
[ $wrong = 0 ] && [ $made -gt 0 ]
result $? "results are right, whichever of $made driver calls fails: $wrong wrong"

# A rank is killed where mublas reads its matrix, and where it writes it.
for step in put0 take0 take2 put2; do
    on_turn SCALAPACK_FULL || continue
    SECONDS=0
    through_mublas $step
    [ $? != 124 ] && [ $SECONDS -lt 100 ] && ! right && nothing_left
    result $? "a rank dies in $step: the job ends, after $SECONDS s"
done

# Or while the owner works, whose solver waits for a file.
kill_in_work() # RANK
{
    local run tries
    rm -f "$work"/hold* "$work"/pid.*
    export MUBLAS_EIGENSOLVER=cusolver
    EMULATED_SOLVER_HOLD=$work/hold through_mublas plain &
    run=$!
    for ((tries = 0; tries < 300; tries++)); do
        [ ! -s "$work/hold.begun" ] || break
        sleep 0.1
    done
    sleep 0.3
    [ -s "$work/hold.begun" ] && kill -KILL "$(cat "$work/pid.$1")"
    killed=$?
    SECONDS=0
    wait $run
    unset MUBLAS_EIGENSOLVER
}
for rank in 0 3; do
    on_turn SCALAPACK_FULL || continue
    kill_in_work $rank
    [ $killed = 0 ] && [ $SECONDS -lt 100 ] && ! right && nothing_left
    result $? "rank $rank is killed while the owner works: the job ends, after $SECONDS s"
done
echo "1..$number"

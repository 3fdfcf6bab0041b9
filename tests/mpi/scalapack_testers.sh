#!/bin/bash
# ScaLAPACK's own testers on four ranks, alone and through mublas in always mode on the emulated device: the same
# counts of tests that passed, failed and were left out, and parallel routines ran on the device. One shim for
# Open MPI's libraries and MPICH's. Thin inputs (tests/mpi/thin) and one type each; SCALAPACK_FULL=1: all types,
# and the testers' own inputs.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/hosts/hosts.sh"
. "$source_tree/tests/mpi/mpi.sh"
ranks=4 data_folder=
alone

# The folder that has both the testers and their inputs: unpacked, else installed.
for root in "$hosts/root" ""; do
    folder=$root/usr/lib/$multiarch
    data=$root/usr/share/scalapack
    [ ! -x "$folder/scalapack/openmpi-tests/xdsep" ] || [ ! -r "$data/SEP.dat" ] || break
done
[ -x "$folder/scalapack/openmpi-tests/xdsep" ] && [ -r "$data/SEP.dat" ] || {
    echo "1..0 # SKIP ScaLAPACK's testers are not here (Debian: scalapack-mpi-test); $how_to_fetch"
    exit 0
}
[ -n "$mpirun" ] || { echo "1..0 # SKIP there is no mpirun"; exit 0; }
use_emulated_system
ask_for_no_pins
[ -z "$root" ] || export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$folder

# Prints the lines in which a tester counts.
counts()
{
    awk '/tests? (completed|skipped|.*were)|END OF TESTS|End of Tests/ || $1 ~ /^\|/ && NF >= 5 {
             gsub(/[ \t]+/, " "); print }' "$work/output"
}

# The grids of an input of four processes, for two.
for_two() { sed -i 's/^1 4 2 2 /1 2 1 2 /; s/^4 1 2 2 /2 1 2 1 /; s/^2 \( *values of Q\)/1 \1/' "$1"; }

# tester FLAVOUR TESTER INPUT ROUTINES LEAST: of calls to ROUTINES (a pattern) on the device.
tester()
{
    local flavour=$1 tester=$2 input=$3 routines=$4 least=$5 served
    [ -z "$TESTERS_ONLY" ] || [[ $flavour/$tester == $TESTERS_ONLY ]] || return
    cd "$work" || exit 1
    [ -n "$SCALAPACK_FULL" ] || [ ! -r "$source_tree/tests/mpi/thin/$input" ] || data=$source_tree/tests/mpi/thin
    cp "$data/${data_folder}$input" . 2> /dev/null || cp "$data/$input" .
    data=$root/usr/share/scalapack
    [ "$ranks" = 4 ] || for_two "$input"
    on_ranks "$ranks" 3000 "$folder/scalapack/$flavour-tests/$tester"
    counts > host.counts
    on_ranks "$ranks" 3000 env MUBLAS_OFFLOAD=always MUBLAS_VERBOSE=3 LD_PRELOAD="$shim_preload" \
        "$folder/scalapack/$flavour-tests/$tester"
    counts > shim.counts
    served=$(grep -cE "^mublas: p[sdcz]($routines): device" "$work/log.0")
    cd "$build" || exit 1
    [ -s "$work/host.counts" ] && cmp -s "$work/host.counts" "$work/shim.counts" && [ "$served" -ge "$least" ]
    result $? "$flavour, $tester: the host's counts, $(sed -n 's/^ *\([0-9]* tests completed and passed\).*/\1/p' \
        "$work/host.counts" | tail -n 1), $served calls on the device"
    [ "$served" -ge "$least" ] && cmp -s "$work/host.counts" "$work/shim.counts" ||
        diff "$work/host.counts" "$work/shim.counts" | sed 's/^/# /'
}

all_types() # PATTERN-OF-TESTER INPUT ROUTINES LEAST TYPE
{
    local type
    for type in ${SCALAPACK_FULL:+s d c z} ${SCALAPACK_FULL:-$5}; do
        [ "$type" = 1 ] || tester openmpi "${1//@/$type}" "${2//@/${type^^}}" "$3" "$4"
    done
}

all_types "x@sep" SEP.dat "(syev|heev|syevx|heevx|syevd|heevd)" 20 d
all_types "x@gsep" SEP.dat "(sygvx|hegvx)" 8 c
for type in ${SCALAPACK_FULL:+s c} d z; do
    case $type in
    s | d) name=syevr ;;
    *) name=heevr ;;
    esac
    [ -z "$SCALAPACK_FULL" ] && [ $type = d ] || tester openmpi "x$type$name" SEPR.dat $name 8
done
all_types "x@llt" LLT.dat "(potrf|potrs)" 20 c
all_types "x@lu" LU.dat "(getrf|getrs)" 20 s
all_types "x@inv" INV.dat "(getrf|trtri|potrf|potri)" 20 z
# Their descriptors are of type 2, with a first block of its own size, and all calls stay the host's.
data_folder=PBLAS/
all_types "PBLAS/@pb3tst" "P@BLAS3TST.dat" "[a-z]*" 0 d
data_folder=

# The same shim with another MPI and the ScaLAPACK of that.
mpirun=$(PATH="$root/usr/bin:$PATH" command -v mpirun.mpich) || mpirun=$(PATH="$root/usr/bin:$PATH" command -v mpiexec.hydra)
mpi_options=()
number_of_mpich=$number
if [ -n "$mpirun" ] && LD_LIBRARY_PATH=$folder "$mpirun" --version > /dev/null 2>&1 && [ -x "$folder/scalapack/mpich-tests/xdsep" ] &&
    ! LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$folder ldd "$folder/scalapack/mpich-tests/xdsep" | grep -q "not found"; then
    ranks=2 # they wait by spinning
    mpirun_libraries=$folder
    tester mpich xdsep SEP.dat "(syev|syevx|syevd)" 20
else
    number=$((number_of_mpich + 1))
    echo "ok $number - MPICH's testers # SKIP MPICH, which starts, and its ScaLAPACK are not here (Debian: mpich, libscalapack-mpich2.2)"
fi
left=$(leftovers)
[ -z "$left" ]
result $? "nothing is left behind: $left"
echo "1..$number"

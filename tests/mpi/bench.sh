#!/bin/bash
# bench/programs/scalapack.py: host and mublas in turns under mpirun, every routine of the program with a residual.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
[ -z "$scalapack_missing" ] || { echo "1..0 # SKIP $scalapack_missing"; exit 0; }
[ -z "$sanitizers" ] || { echo "1..0 # SKIP benches are not for sanitizers"; exit 0; }
command -v python3 > /dev/null || { echo "1..0 # SKIP there is no python3"; exit 0; }
use_emulated_system
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 MUBLAS_OFFLOAD=always OMP_NUM_THREADS=1
options=
! "$mpirun" --version 2>&1 | grep -q "Open MPI" || options="--oversubscribe --bind-to none"
cat > "$work/launch" <<LAUNCH
#!/bin/sh
# The loader's settings are for the program alone, not for mpirun.
ranks=\$1
shift
LD_LIBRARY_PATH='' exec "$mpirun" $options -n "\$ranks" env LD_LIBRARY_PATH="$LD_LIBRARY_PATH" "\$@"
LAUNCH
chmod +x "$work/launch"
sizes=pdsyevd:60,pzheevd:50,pdsygvx:60,pdpotrf:60,pdgemm:60

measure() # OPTION...
{
    timeout 240 "$source_tree/bench/programs/scalapack.py" -s "$shim" -p "$build/bench/programs" -o "$work/output.csv" \
        --mpirun "$work/launch {ranks}" --ranks 2 --block 16 --rounds 1 "$@" > "$work/output" 2> "$work/errors"
}
measure --repetitions 2 --cases $sizes && [ "$(grep -c '^host,1,ok,' "$work/output.csv")" = 5 ] &&
    [ "$(grep -c '^mublas,1,ok,' "$work/output.csv")" = 10 ] &&
    awk -F, '/^(host|mublas),/ && $10 != "" && !($10 < 30) { bad = 1 } END { exit bad }' "$work/output.csv" &&
    grep -q '^# command: bench/programs/scalapack.py -s ' "$work/output.csv" && [ "$(wc -l < "$work/output")" = 6 ]
result $? "five routines on the host and through mublas: rows with residuals, and a table"
! measure --repetitions 1 --cases pdsyevd:1 && grep -q '^mublas,1,failed,pdsyevd,1,' "$work/output.csv"
result $? "a process that fails is told"
echo "1..$number"

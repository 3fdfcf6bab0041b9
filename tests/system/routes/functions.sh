# Sourced by routes.sh and routes_failures.sh after tap.sh: how the programs are run.
. "$source_tree/tests/hosts/hosts.sh"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
ulimit -c 0
program_folder=tests/system/routes

programs_are_built() { [ -x $program_folder/eigen ]; }

# A program's status, and no line of TAP that says otherwise. $preloaded is for the program alone: the sanitizers' runtime
# takes its time in every other one.
preloaded=
passes() # PROGRAM [ARGUMENT...]
{
    local program=$1
    shift
    timeout -k 5 300 env ${preloaded:+LD_PRELOAD="$preloaded"} $program_folder/"$program" "$@" \
        > "$work/output" 2> "$work/errors" || return 1
    ! grep -q '^not ok' "$work/output"
}

passes_on_reference()
{
    ( use_reference_libraries
      passes "$@" )
}

# The same kernels run everywhere: its ssyevr finds no value of range I for some matrices and processors.
passes_on_openblas()
{
    ( export LD_LIBRARY_PATH=$openblas_directory ROUTES_OPEN=1 OPENBLAS_CORETYPE=Haswell
      passes "$@" )
}

passes_through_shim()
{
    ( use_emulated_system
      ask_for_no_pins
      export MUBLAS_OFFLOAD=always
      preloaded=$shim_preload
      rm -f "$work/report"
      MUBLAS_REPORT=$work/report passes "$@" )
}

# As users have it, by a recipe of these lines.
passes_by_recipe() # LINE... -- PROGRAM [ARGUMENT...]
{
    local lines=("host-blas $(readlink -f "$host_blas")" "host-threads 1")
    while [ "$1" != -- ]; do lines+=("$1"); shift; done
    shift
    ( use_emulated_system
      printf '%s\n' "${lines[@]}" > "$work/lines"
      tests/system/make_recipe "$work/lines" > "$work/recipe" || exit 1
      rm -f "$work/report" "$work/counts"
      export MUBLAS_RECIPE=$work/recipe EMULATED_COUNT_FILE=$work/counts MUBLAS_VERBOSE=3
      preloaded=$shim_preload
      MUBLAS_REPORT=$work/report passes "$@" )
}

# called FUNCTION: how often, of the emulated driver and its libraries
called() { awk -v name="$1" '$1 == name { calls += $2 } END { print calls + 0 }' "$work/counts"; }

# With mublas' own reduction to tridiagonal form, which a device of three multiprocessors is large enough for.
passes_by_own_kernels() # LAUNCHES PROGRAM [ARGUMENT...]: at least so many of them
{
    local launches=$1
    shift
    rm -f "$work/counts"
    ( export EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=3 EMULATED_COUNT_FILE=$work/counts
      passes_through_shim "$@" ) && [ "$(called cuLaunchCooperativeKernel)" -ge "$launches" ]
}

launched_own() { [ "$(called cuLaunchCooperativeKernel)" = "$1" ]; }

# Two dsyevd and a zheevd
ran_all() { [ "$(ran dsyevd 3)" = 2 ] && [ "$(ran zheevd 3)" = 1 ]; }

# learned LINE...: a recipe for the device that passes_by_own_kernels has
learned()
{
    printf '%s\n' "host-blas $(readlink -f "$host_blas")" "host-threads 1" "$@" > "$work/lines"
    ( use_emulated_system
      export EMULATED_MULTIPROCESSORS=3
      tests/system/make_recipe "$work/lines" > "$work/recipe" )
}

# ran ROUTINE COLUMN: its calls by the report, 2 all of them, 3 on the device, 4 on the host
ran()
{
    awk -v routine="$1" -v column="$2" '
        $1 == routine && $4 ~ /^[0-9]+$/ { calls = $column }
        END { print calls + 0 }' "$work/report"
}

# all_on_device: of each routine as many calls ran there as the program says that belong there
all_on_device()
{
    awk 'NR == FNR { if ($1 == "#" && $2 == "device") { wanted[$3] = $4; routines++ } next }
        $1 in wanted && $4 ~ /^[0-9]+$/ { ran[$1] += $3 }
        END { for (name in wanted) if (ran[name] + 0 < wanted[name]) {
                  wrong = 1; print "# " name ": " ran[name] + 0 " of " wanted[name] " calls on the device" }
              exit wrong || !routines }' "$work/output" "$work/report"
}

# stays VARIABLE=VALUE ROUTINE,... PROGRAM [ARGUMENT...]: right all the same, and none of the routines runs there
stays()
{
    local request=$1 routines=$2 routine
    shift 2
    ( export "${request?}"
      passes_through_shim "$@" ) || return 1
    for routine in ${routines//,/ }; do
        [ "$(ran "$routine" 2)" -gt 0 ] && [ "$(ran "$routine" 3)" = 0 ] || return 1
    done
}

# Does the report have calls of dsyevd on the device?
shim_answers_dsyevd()
{
    passes_through_shim refused order 150 &&
        awk '$1 == "dsyevd" && $3 > 0 { found = 1 } END { exit !found }' "$work/report"
}

# Did dgetrs, dpotrs or dpptrs send from LEAST to MOST megabytes up in all?
sent_between() # LEAST MOST
{
    awk -v least="$1" -v most="$2" '$1 ~ /^d(ge|po|pp)trs$/ && $3 > 0 && $5 >= least && $5 <= most { found = 1 } END { exit !found }' \
        "$work/report"
}

# Names that the loaded libraries have, and names that they lack.
compare_probes()
{
    local lapack names="dsyevd_ zheevr_ dgetrf_ dgeev_ dsyevd_64_ scipy_dsyevd_ scipy_dsyevd_64_ dsyevd dgesdd_64_ ilaver_"
    for lapack in - "$host_blas" "${host_lapack_directory:+$host_lapack_directory/liblapack.so.3}"; do
        [ -n "$lapack" ] || continue
        passes_on_reference plain probe "$lapack" $names && cp "$work/output" "$work/plain" &&
            passes_through_shim plain probe "$lapack" $names && cmp "$work/plain" "$work/output"
        result $? "a program's look-up with the shim finds what it finds without ($lapack)"
    done
}

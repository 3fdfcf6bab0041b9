#!/bin/bash
# LAPACK routines as programs call them: right on the plain host (which shows that the tests are), then
# through the shim with everything offloaded. Each program's own lines come out as comments.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"

# Types differ by their precision: d and z are tried under sanitizers, of fewer orders, s and c without. Eigenproblems
# are real on one side and complex on the other, another way every other day.
sampled ROUTES_FULL=1
types=sc types_of_others=sz eigen_orders="0 1 2 33" factor_orders="0 1 2 3 33 65" bidiagonal_orders="0 1 2 3 34" singular_orders="0 1 3 33"
own_real="--routines syev,syevd,syevx,sygvd,spgv" own_complex="--routines heevd,heevx,hegvd,hpevd"
launches_real=60 launches_complex=60 launches_reduced=8 own_order=17
launches_singular=100 launches_squares=4 singular_own="2 9"
declare -A only=() orders_of=([c]="1 2 33" [z]="0 1 2 3 33")
if [ -n "$sanitizers" ]; then
    types=dz types_of_others=dc eigen_orders="0 1 33" orders_of=() factor_orders="0 1 33" bidiagonal_orders="0 2 3" singular_orders="1 33"
    own_real="--routines syevd,sygvd" own_complex="--routines heevd" launches_real=8 launches_complex=4 own_order=33
    only=([d]="--routines syev,syevd,syevr,syevx,sygv,sygvd,spevd" [z]="--routines heevd,hegvx,hpgvx")
fi
real=${types:0:1} complex=${types:1:1} both=$types
is_type_of_day()
{
    local days=0
    [ "$1" != "$real" ] || days=1
    [ -z "$sanitizers" ] || days=$((days + 1))
    [[ -n $ROUTES_FULL || $1 != [$both] ]] || in_sample 2 $days
}
is_part_of_day() { [ -n "$ROUTES_FULL" ] || in_sample 2 $1; } # 0 or 1
programs_are_built || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }

# True after run_all; the numbers of calls are those without sanitizers.
are_there() { [ $passes != passes_through_shim ] || [ -n "$sanitizers" ] || all_on_device; }
# The programs by name, with arguments; PASSES is what runs one and tells by its status.
run_all() # WHERE PASSES TYPES [OPTION of eigen...]
{
    local where=$1 passes=$2 types=$3 type way
    shift 3
    for type in $(fold -w 1 <<< "$types"); do
        is_type_of_day $type || continue
        $passes eigen --types $type ${only[$type]} "$@" ${orders_of[$type]-$eigen_orders}
        result $? "$where: eigensolvers of type $type"
    done
    $passes factor --types ${other_types:-$types} $factor_orders && are_there
    result $? "$where: factorisations, solvers and reductions"
    $passes singular --types ${other_types:-$types} $singular_orders && are_there
    result $? "$where: singular values, general eigenvalues"
    $passes least_squares --types ${other_types:-$types} $singular_orders && are_there
    result $? "$where: least squares by singular values"
    if is_part_of_day 0; then
        EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=3 $passes bidiagonal --types ${other_types:-$types} $bidiagonal_orders && are_there
        result $? "$where: bidiagonal form"
    fi
    $passes failing
    result $? "$where: eigensolvers that are to fail"
    for way in "order 150" nan; do
        $passes refused $way
        result $? "$where: a dsyevd that is refused ($way)"
    done
    for way in jump exit fork; do
        # OpenBLAS may not come back from exit or in a fork's child while a thread of the program is in it.
        [ "$where" != OpenBLAS ] || [ $way = jump ] || continue
        $passes ends $way
        result $? "$where: dsyevd left in the middle ($way)"
    done
    $passes threads && cp "$work/output" "$work/first" && $passes threads && cmp "$work/first" "$work/output"
    result $? "$where: eight threads with eigenproblems, twice the same"
}

# With the recipe's ORDER up to which a cluster reduces: launches on all multiprocessors, and of clusters.
by_cluster() # ORDER WIDE CLUSTERS PROGRAM [ARGUMENT...]
{
    local wide=$2 clusters=$3
    learned "route cluster double $1"
    shift 3
    MUBLAS_RECIPE=$work/recipe EMULATED_CLUSTER=8 passes_by_own_kernels 0 "$@" && launched_own "$wide" &&
        [ "$(called cuLaunchKernelEx)" = "$clusters" ]
}

openblas_directory=$(host_directories openblas-pthread) || openblas_directory=
# That the tests themselves are right is shown without sanitizers, which take their time, by one host.
if [ -n "$sanitizers" ]; then
    skip "plain host" "under sanitizers"
elif [ -n "$openblas_directory" ] && [ -e "${openblas_directory%%:*}/liblapack.so.3" ]; then
    run_all "OpenBLAS" passes_on_openblas d --seed 20261125
else
    run_all "reference LAPACK" passes_on_reference z
fi

# Look-up at run time is the same with the shim as without it, whatever it intercepts.
compare_probes
wide_library=$(host_library lapack64) || wide_library=
if [ -n "$wide_library" ]; then
    passes_on_reference plain wide "$wide_library"
    result $? "plain names with 64-bit integers, on the plain host"
    passes_through_shim plain wide "$wide_library"
    result $? "plain names with 64-bit integers, through the shim"
else
    skip "plain names with 64-bit integers" "liblapack64-3 is not installed; $how_to_fetch"
fi

if shim_answers_dsyevd; then
    other_types=$types_of_others run_all "through the shim" passes_through_shim $types
    passes_through_shim failing dspgvd zhpevx && [ "$(ran dspgvd 3)" = 1 ] && [ "$(ran zhpevx 3)" = 1 ]
    result $? "through the shim: eigenproblems of packed storage run on the device"
    ( export EMULATED_SOLVER_VALUES=swapped
      passes_through_shim eigen --types $real --only s 33 )
    result $? "through the shim: values that come out of order"
    if [[ $sanitizers == *thread* ]]; then
        skip "own eigensolver" "takes too long under ThreadSanitizer"
    else
        if is_type_of_day $real; then
            passes_by_own_kernels $launches_real eigen --types $real $own_real --only s 0 1 2 33
            result $? "own eigensolver: type $real"
        fi
        if is_type_of_day $complex; then
            passes_by_own_kernels $launches_complex eigen --types $complex $own_complex --only s 0 1 2 $own_order
            result $? "own eigensolver: type $complex"
        fi
        passes_by_own_kernels $launches_reduced factor --types $types 1 3 33
        result $? "own eigensolver: its reduction alone"
        # One type; every JOB, square, tall, long and wide.
        if is_part_of_day 1; then
            MUBLAS_EIGENSOLVER=own passes_by_own_kernels $launches_singular singular --types ${types:0:1} --only SL $singular_own &&
                [ "$(called cusolverDnXgesvdp)" = 0 ] && are_there
            result $? "own singular values: every choice of vectors"
        fi
        MUBLAS_EIGENSOLVER=own passes_by_own_kernels $launches_squares least_squares --types ${types:1:1} 9 && [ "$(called cusolverDnXgesvdp)" = 0 ]
        result $? "own singular values: least squares"
        MUBLAS_EIGENSOLVER=cusolver passes_by_own_kernels 0 least_squares --types ${types:1:1} 9 &&
            [ "$(called cusolverDnXgesvdp)" -gt 0 ]
        result $? "own singular values: not where cuSOLVER's are asked for"
        [ -n "$sanitizers" ] || { # there test_tridiagonalisation takes a panel
            MUBLAS_VERBOSE=3 passes_by_own_kernels 2 refused order 130 1 && grep -q '^mublas: launching dsytrd_panel ' "$work/errors"
            result $? "own eigensolver: dsyevd of an order that takes a panel"
        }
        MUBLAS_EIGENSOLVER=cusolver passes_by_own_kernels 0 failing dsyevd zheevd && launched_own 0 && ran_all
        result $? "own eigensolver: not where cuSOLVER's is asked for"
        # That is decided by code which is the same under sanitizers, where the kernels take their time.
        if [ -z "$sanitizers" ]; then
            learned "route own real 71"
            MUBLAS_RECIPE=$work/recipe passes_by_own_kernels 1 failing dsyevd zheevd && launched_own 1 && ran_all
            result $? "own eigensolver: not below the recipe's order, of real types"
            learned "route own complex 70"
            MUBLAS_RECIPE=$work/recipe passes_by_own_kernels 3 failing dsyevd zheevd && launched_own 3 && ran_all
            result $? "own eigensolver: from that order on"
            # Two stages are two launches. One dsyevd has all vectors, the other none.
            two=("route two-stages double 70" "route two-stages-tenth double 70")
            learned "${two[@]}" "route two-stages-all double 70"
            MUBLAS_RECIPE=$work/recipe passes_by_own_kernels 5 failing dsyevd zheevd && launched_own 5 && ran_all
            result $? "own eigensolver: in two stages from the recipe's order on"
            learned "${two[@]}" "route two-stages-all double 71"
            MUBLAS_RECIPE=$work/recipe passes_by_own_kernels 4 failing dsyevd zheevd && launched_own 4 && ran_all
            result $? "own eigensolver: of all vectors not below theirs"
            by_cluster 69 1 0 threads 70 1 1 && mv "$work/output" "$work/first" &&
                by_cluster 70 0 1 threads 70 1 1 && cmp "$work/first" "$work/output"
            result $? "own eigensolver: by a cluster up to the recipe's order, with the same bits"
            by_cluster 69 2 0 factor --types d 70 && by_cluster 70 0 2 factor --types d 70
            result $? "own eigensolver: its reduction alone likewise"
        fi
        learned "route own real 71"
        MUBLAS_RECIPE=$work/recipe MUBLAS_EIGENSOLVER=own passes_by_own_kernels 3 failing dsyevd zheevd
        result $? "own eigensolver: whatever the recipe says where it is asked for"
    fi
    # The factor is 2 MB, which dgetrf or dpotrf have left there; what is changed in it lies on a page. dgetrs and
    # dpotrs send right-hand sides, and five pages.
    for way in "repeated 0.0 0.1" "renewed 0.0 0.1" "changed 0.1 0.2" "triangle 0.0 0.1" "packed 0.0 0.1"; do
        set -- $way
        passes_through_shim resident "$1" && sent_between "$2" "$3"
        result $? "through the shim: a factor that stays on the device ($1)"
    done
else
    skip "through the shim" "this shim runs no dsyevd on the emulated device"
fi
echo "1..$number"

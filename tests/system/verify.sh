#!/bin/bash
# `mublas verify`: every routine passes on a sound device; a difference, a host that does the
# work, and a lack of anything are failures with their reason.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
if [ -n "$sanitizers" ]; then
    echo "1..0 # SKIP a sanitized library cannot be loaded by the command that is started anew"
    exit 0
fi
use_emulated_system
verify() { "$build/mublas" verify "$@" > "$work/output" 2> "$work/errors"; }
has_line() { grep -q -- "$1" "$work/output"; }
one_line() { [ "$(wc -l < "$work/errors")" = 1 ] && grep -q -- "$1" "$work/errors"; }

# LAPACK's take a fifth of a second each: one in four a day, or all by VERIFY_FULL=1.
sampled VERIFY_FULL=1
lapack=0 all=0 lists=() reductions=
for routine in $(sed -n 's/^ROUTE(\([a-z0-9]*\).*/\1/p' src/host/lapack.def); do
    [[ $routine != @(dsyev[dr]|zheev[dr]) ]] && ! in_sample 4 $((all++)) && continue
    if [[ $routine == ?gebrd ]]; then reductions+=,$routine; else lists[lapack / 16]+=,$routine; fi
    lapack=$((lapack + 1))
done
# gebrd needs cooperative launches; the others have cuSOLVER's kernels, which the host emulates sooner.
verify_gebrd() { EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=1 verify --routines="${reductions#,}"; }
sample_passes() # with an output as of one run
{
    MUBLAS_CUSOLVER=/nowhere/libcusolver.so verify --size=40 && cp "$work/output" "$work/all" || return
    for list in "${lists[@]}"; do
        verify --routines="${list#,}" && cat "$work/output" >> "$work/all" || return
    done
    [ -z "$reductions" ] || { verify_gebrd && cat "$work/output" >> "$work/all"; } || return
    cp "$work/all" "$work/output"
}
all_pass()
{
    lapack=$(grep -c '^ROUTE(' src/host/lapack.def)
    EMULATED_COOPERATIVE=1 EMULATED_MULTIPROCESSORS=3 verify --size=40 && has_line "^$((50 + lapack)) of $((50 + lapack)) routines pass$"
}
if [ -n "$VERIFY_FULL" ]; then all_pass; else sample_passes; fi
[ $? = 0 ] && [ "$(grep -c '  pass$' "$work/output")" = $((50 + lapack)) ] && [ ! -s "$work/errors" ]
result $? "all 50 routines of BLAS pass, and $lapack of LAPACK"
has_line '^host LAPACK: /.*lapack' &&
    awk '$4 == "pass" && $1 ~ /[zd](sy|he)ev[dr]/ { calls += $2; none += !($3 > 0) } END { exit !(calls == 96 && none == 0) }' "$work/output"
result $? "the host LAPACK is named, and errors are measured"
has_line '^host BLAS: /.*libblas'
result $? "the host BLAS is named"
# (The emulated cuBLAS is the host's: no difference in level 3.)
awk '$4 == "pass" && $1 ~ /v$|axpy/ { calls += $2; zero += $3 == 0 } END { exit !(calls > 130 && zero == 0) }' "$work/output"
result $? "by many calls, whose results are not the host's own"
verify --size=4 --routines=zhemv,saxpy
[ $? = 0 ] && [ "$(grep -c '  pass$' "$work/output")" = 2 ] && has_line '^zhemv .* pass$' &&
    has_line '^2 of 2'
result $? "some of them, and tiny"

export MUBLAS_HOST_BLAS=$build/tests/system/.libs/rough_blas.so
verify --size=40 --routines=dsymv
[ $? = 1 ] && has_line '^dsymv .*FAIL: the results differ$' && has_line '^0 of 1'
result $? "a difference of 1e-11 fails"
ROUGHNESS=nan verify --size=40 --routines=dsymv
[ $? = 1 ] && has_line '^dsymv .*inf .*FAIL: the results differ$'
result $? "so does a NaN on one side"
ROUGHNESS=0 verify --size=40 --routines=dsymv
result $? "none at all passes"
verify --routines=daxpy
[ $? = 1 ] && has_line '^daxpy .*FAIL' && one_line 'rough_blas.so has no such routine'
result $? "a routine that the host lacks is named"
unset MUBLAS_HOST_BLAS

# cuSOLVER's results.
rough=$build/tests/system/.libs/rough_lapack.so
if [ -e "$rough" ]; then
    for what in value vector; do
        EMULATED_HOST_LAPACK=$rough ROUGH_LAPACK=$what verify --routines=dsyevd,dsyevx,zheevd
        [ $? = 1 ] && has_line '^dsyevd .*FAIL: the results differ$' &&
            has_line '^dsyevx .*FAIL: the results differ$' &&
            has_line '^zheevd .* pass$' && has_line '^1 of 3'
        result $? "a $what that cuSOLVER has wrong by 1e-11 fails"
    done
    EMULATED_HOST_LAPACK=$rough ROUGH_LAPACK=factor verify --routines=dpotrf,dposv,dgetrf,zpotrf
    [ $? = 1 ] && has_line '^dpotrf .*FAIL: the results differ$' &&
        has_line '^dposv .*FAIL: the results differ$' && has_line '^2 of 4'
    result $? "so does such a factor"
    EMULATED_HOST_LAPACK=$rough ROUGH_LAPACK=reflector verify --routines=dgeqrf,dorgqr,zgeqrf
    [ $? = 1 ] && has_line '^dgeqrf .*FAIL: the results differ$' && has_line '^2 of 3'
    result $? "or reflector"
    EMULATED_HOST_LAPACK=$rough ROUGH_LAPACK=nan verify --routines=dsyevd
    [ $? = 1 ] && has_line '^dsyevd .*FAIL: [1-9] of 16 calls stayed on the host: '
    result $? "a value of cuSOLVER's that is no number fails, for the host computes instead"
    EMULATED_HOST_LAPACK=$rough ROUGH_LAPACK=none verify --routines=zhegvx,dsyevd,dpotrf
    result $? "none wrong passes"
fi
# wrong FUNCTION:OPERAND ROUTINE,... [ROUTINE,...]: a result of the device's library that is wrong makes these
# differ, not those
wrong()
{
    local routine differ=
    EMULATED_WRONG=$1 verify --routines="$2${3:+,$3}"
    [ $? = 1 ] || return 1
    for routine in ${2//,/ }; do
        has_line "^$routine .*FAIL: the results differ$" || differ="$differ $routine"
    done
    for routine in ${3//,/ }; do
        has_line "^$routine .* pass$" || differ="$differ $routine"
    done
    [ -z "$differ" ]
}
if on_turn VERIFY_FULL; then
    wrong cusolverDnXgetrs:B sgetrs,zgetrs,dgesv dgetrf
    result $? "solutions by LU factors that are wrong fail"
fi
if on_turn VERIFY_FULL; then
    wrong cublasZtrsm_v2:C zgetri,zgels,zhegst dgetri
    result $? "so do inverses, least squares and reduced problems of a wrong trsm"
fi
if on_turn VERIFY_FULL; then
    wrong cublasDtrmm_v2:C dsygst && wrong cublasCtrmm_v2:C chegst dsygst
    result $? "or trmm"
fi
if on_turn VERIFY_FULL; then
    wrong cusolverDnXgeqrf:A cgels,dgeqrf && wrong cusolverDnXgeqrf:TAU dgels,cgeqrf dormqr
    result $? "QR factors"
fi
if on_turn VERIFY_FULL; then
    wrong cusolverDnDormqr:C dormqr,dgels sormqr && wrong cusolverDnCunmqr:C cunmqr dormqr
    result $? "products with their orthogonal matrix"
fi
if on_turn VERIFY_FULL; then
    wrong cusolverDnDsytrd:D dsytrd && wrong cusolverDnChetrd:E chetrd && wrong cusolverDnZhetrd:TAU zhetrd dsytrd
    result $? "the diagonals of tridiagonal forms, and their reflectors"
fi
if on_turn VERIFY_FULL; then
    wrong cusolverDnDorgtr:A dorgtr && wrong cusolverDnZungtr:A zungtr dorgtr
    result $? "their orthogonal matrix"
fi
if on_turn VERIFY_FULL; then
    wrong cublasSgemm_v2:C sormtr && wrong cublasZgemm_v2:C zunmtr dormtr
    result $? "products with that"
fi
if on_turn VERIFY_FULL; then
    wrong cublasSgemm_v2:C sstedc,cstedc dstedc && wrong cublasDgemm_v2:C dstedc,zstedc sstedc
    result $? "or with the vectors of a tridiagonal matrix"
fi
if on_turn VERIFY_FULL; then
    wrong cusolverDnXgeev:VR sgeev,dgeev,cgeev,zgeev && wrong cusolverDnXgeev:W sgeev,dgeev,cgeev,zgeev
    result $? "general eigenvectors and eigenvalues"
fi

EMULATED_SOLVER_INFO=cusolverDnDsygvd:1 verify --routines=dsygvd,dsymv --size=8
[ $? = 1 ] && has_line '^dsygvd .*FAIL: 32 of 32 calls stayed on the host: ' && has_line '^dsymv .* pass$'
result $? "a call that cuSOLVER cannot do fails"
MUBLAS_CUSOLVER=/nowhere/libcusolver.so verify --size=8
[ $? = 0 ] && has_line '^LAPACK: stays on the host, there is no cuSOLVER' &&
    has_line '^50 of 50 routines pass$' &&
    ! has_line 'dsyevd'
result $? "without cuSOLVER that is said"
MUBLAS_CUSOLVER=/nowhere/libcusolver.so verify --routines=dsyevd
[ $? = 1 ] && has_line '^LAPACK: stays on the host'
result $? "and is a fault where LAPACK was asked for"

EMULATED_FAULTS=KERNEL:2:701 verify --size=40 --routines=dsymv
[ $? = 1 ] && has_line '^dsymv .*FAIL: [1-9] of 4 calls stayed on the host: .*device'
result $? "calls that the host had to do fail, with the reason"
CUDA_VISIBLE_DEVICES= verify
[ $? = 3 ] && [ ! -s "$work/output" ] && one_line '^mublas verify: no device to check: '
result $? "without a device there is one line and a status of its own"
MUBLAS_CUDA_DRIVER=/nowhere/libcuda.so verify
[ $? = 3 ] && [ ! -s "$work/output" ] && grep -q '^mublas verify: no device to check: ' "$work/errors"
result $? "likewise without a driver"

verify --routines=dsymv,dsyr2
[ $? = 2 ] && one_line "'dsyr2' is not an offloaded routine"
result $? "a routine that is not offloaded is named"
verify --size=3
[ $? = 2 ] && one_line "--size='3'"
result $? "so is a bad size"
verify --fast
[ $? = 2 ] && one_line "'--fast'"
result $? "and an unknown option"
echo "1..$number"

#!/bin/bash
# A dsyevd that stays on the host, since the device is not paid for or would be slower: it is counted once and
# credited once, what it calls inside is counted, and offloaded, as ever. The recipes let a dsyevd of order 150 gain
# 30.2 ms on one processor, the dsytrd inside 5.6, and each dsymv inside 4.99 ms. And routines that cuSOLVER cannot do,
# or does wrong.
. tests/environment.sh
. "$source_tree/tests/tap.sh"
. "$source_tree/tests/system/routes/functions.sh"
programs_are_built || { echo "1..0 # SKIP configure found no LAPACK to link"; exit 0; }
blas=("host dsymv 100 5000 1000000 5000" "device dsymv 100 10 1000000 10" "upload pinned 1000 10 10000000 100")
gains=("route host real vectors 10.68" "route host real values 9.5" "${blas[@]}")
loses=("route host real vectors 0.0625" "route host real values 0.0625" "route device real vectors 16"
       "route device real values 16" "${blas[@]}")

# refuses CALLS LINE...: so many dsyevd by such a recipe
refuses() { passes_by_recipe "${@:2}" -- refused order 150 "$1"; }
# The routines that were called, and how often.
rows() { awk '$2 $3 $4 ~ /^[0-9]+$/ && $1 != "total" { print $1, $2 }' "$work/report"; }

MUBLAS_OFFLOAD=never refuses 6 "${gains[@]}"
rows > "$work/never"
inside=$(($(ran dsymv 2) / 6))
[ "$(ran dsyevd 2)" = 6 ] && [ $inside -gt 100 ] && [ "$(ran dgemm 2)" -gt 0 ]
result $? "switched off: a dsyevd, and in it $inside dsymv and $(($(ran dgemm 2) / 6)) dgemm"
# 6 gain 181 ms, with their dsytrd 215, with their dsymv four seconds. A quarter more than the price wakes.
refuses 6 "${gains[@]}" "wake 1000000" && grep -q 'device *not woken' "$work/report" &&
    [ "$(ran dsyevd 4)" = 6 ]
result $? "a device that they do not pay for is not woken for what is called inside"
rows | cmp - "$work/never"
result $? "and all of that is counted as ever"
# Paid by the 4th: 3 gain 91 ms, with their dsytrd 107.
refuses 8 "${gains[@]}" "wake 80000" && [ "$(ran dsyevd 4)" = 8 ] && [ "$(ran dsytrd 3)" = 0 ] &&
    [ "$(ran dsymv 3)" = $((5 * inside)) ] && [ "$(ran dsymv 4)" = $((3 * inside)) ]
result $? "once they have paid for it dsymv inside runs there: $(ran dsymv 3) of $(ran dsymv 2)"
# cuSOLVER costs 250 ms: 8 gain 242, with their dsytrd 286.
refuses 8 "${gains[@]}" "wake 4000" && [ "$(ran dsyevd 4)" = 8 ] && [ "$(ran dsytrd 3)" = 0 ] &&
    [ "$(ran dsymv 3)" = $((8 * inside)) ]
result $? "without cuSOLVER they stay, dsymv inside does not"
refuses 12 "${gains[@]}" "wake 4000" && [ "$(ran dsyevd 4)" = 8 ] && [ "$(ran dsyevd 3)" = 4 ]
result $? "until they have paid for that, wherever the thread is that opens it: $(ran dsyevd 3) of 12 are on the device"
refuses 6 "${loses[@]}" "wake 1000000" && [ "$(ran dsyevd 4)" = 6 ] && [ "$(ran dsymv 3)" -gt 400 ] &&
    [ "$(rows | sort)" = "$(sort "$work/never")" ]
result $? "slower on the device: what is called inside pays for it, $(ran dsymv 3) of $(ran dsymv 2) dsymv are there"
passes_by_recipe "${gains[@]}" "wake 10000000" -- refused order 300 2 && [ "$(ran dormtr 4)" = 2 ]
result $? "no device: the dormtr inside, whose matrix might stay there, has no account"

stays EMULATED_SOLVER_WORKSPACE=huge dsytrd,dorgtr,dormtr factor --types d --only R 33
result $? "reductions for whose workspace there is no room"
# INFO is 3 of these functions, beside results that are right.
reports() # FUNCTION,... ROUTINE,... PROGRAM [ARGUMENT...]
{
    local functions=cusolverDn${1//,/:3,cusolverDn}:3
    stays "EMULATED_SOLVER_REPORTED_INFO=$functions" "${@:2}"
}
reports Xpotrf,Xgetrf,Xgeqrf,Xtrtri,Dpotri,Dorgqr,Dsytrd,Dorgtr \
    dpotrf,dposv,dpotri,dpptrf,dppsv,dpptri,dtrtri,dgetrf,dgesv,dgeqrf,dgels,dorgqr,dsytrd,dorgtr factor --types d 33
result $? "factorisations and reductions that cuSOLVER says it cannot do"
reports Xpotrs,Xgetrs,Dormqr dpotrs,dposv,dpptrs,dppsv,dgetrs,dgesv,dgels,dormqr factor --types d --only CLQ 33
result $? "and second steps"
reports Xsyevd,Dsygvd dsyevd,dsygvd,ssyev failing dsyevd dsygvd ssyev
result $? "and eigenproblems"
reports Xgesvdp,Xgeev dgesdd,dgesvd,dgeev,dgeevx singular --types d --only SG 23
result $? "and singular values and general eigenvalues"
stays EMULATED_SOLVER_WORKSPACE=fail dgesdd,dgesvd singular --types d --only S 3 23
result $? "singular values whose workspace cuSOLVER does not tell"
stays EMULATED_SOLVER_SIGMA_ERROR=1e-3 dgesdd,dgesvd singular --types d --only S 23
result $? "and those that it has wrong"
echo "1..$number"

#include "api/eigen_call.h"

static bool has_uplo(const struct eigen_call *call)
{
    return call->routine != EIGEN_STEDC;
}

static bool is_eigensolver(const struct eigen_call *call)
{
    return call->routine == EIGEN_SYEVD || call->routine == EIGEN_SYEVDX;
}

static bool is_complex(const struct eigen_call *call)
{
    return call->type == MUBLAS_COMPLEX || call->type == MUBLAS_DOUBLE_COMPLEX;
}

static const char *wrong_flag(const struct eigen_call *call)
{
    if (call->type != MUBLAS_SINGLE && call->type != MUBLAS_DOUBLE && !is_complex(call))
        return "type is none of MUBLAS_SINGLE, MUBLAS_DOUBLE, MUBLAS_COMPLEX and MUBLAS_DOUBLE_COMPLEX";
    if (has_uplo(call) && call->uplo != MUBLAS_LOWER && call->uplo != MUBLAS_UPPER)
        return "uplo is neither MUBLAS_LOWER nor MUBLAS_UPPER";
    if (is_eigensolver(call) && call->vectors != MUBLAS_VECTORS && call->vectors != MUBLAS_NO_VECTORS)
        return "vectors is neither MUBLAS_VECTORS nor MUBLAS_NO_VECTORS";
    if (call->routine == EIGEN_SYEVDX && call->range != MUBLAS_ALL && call->range != MUBLAS_INDICES &&
        call->range != MUBLAS_INTERVAL)
        return "range is none of MUBLAS_ALL, MUBLAS_INDICES and MUBLAS_INTERVAL";
    if (call->routine == EIGEN_STEDC && call->compz != MUBLAS_COMPZ_NONE &&
        call->compz != MUBLAS_COMPZ_TRIDIAGONAL && call->compz != MUBLAS_COMPZ_ORIGINAL)
        return "compz is none of MUBLAS_COMPZ_NONE, MUBLAS_COMPZ_TRIDIAGONAL and MUBLAS_COMPZ_ORIGINAL";
    if (call->routine != EIGEN_ORMTR)
        return NULL;
    if (call->side != MUBLAS_LEFT && call->side != MUBLAS_RIGHT)
        return "side is neither MUBLAS_LEFT nor MUBLAS_RIGHT";
    const bool is_transposed =
        call->trans == MUBLAS_CONJ_TRANS || (call->trans == MUBLAS_TRANS && !is_complex(call));
    if (call->trans != MUBLAS_NO_TRANS && !is_transposed)
        return is_complex(call) ? "trans is neither MUBLAS_NO_TRANS nor MUBLAS_CONJ_TRANS"
                                : "trans is none of MUBLAS_NO_TRANS, MUBLAS_TRANS and MUBLAS_CONJ_TRANS";
    return NULL;
}

static enum mublas_status check_leading(struct mublas_handle *handle, const char *name, int64_t ld,
                                        const char *least_name, int64_t least)
{
    if (ld >= (least > 1 ? least : 1))
        return MUBLAS_SUCCESS;
    return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s is %lld, less than %s, which is %lld", name,
                       (long long)ld, least > 0 ? least_name : "the least",
                       (long long)(least > 0 ? least : 1));
}

static enum mublas_status check_sizes(struct mublas_handle *handle, const struct eigen_call *call)
{
    const bool has_c = call->routine == EIGEN_ORMTR,
               has_z = call->routine == EIGEN_STEDC && call->compz != MUBLAS_COMPZ_NONE;
    enum mublas_status status = MUBLAS_SUCCESS;
    if (call->m < 0 || call->n < 0)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s is %lld, less than 0", call->m < 0 ? "m" : "n",
                           (long long)(call->m < 0 ? call->m : call->n));
    if (call->routine != EIGEN_STEDC)
        status = check_leading(handle, "lda", call->lda, has_c && call->side == MUBLAS_LEFT ? "m" : "n",
                               eigen_call_order(call));
    if (status == MUBLAS_SUCCESS && has_c)
        status = check_leading(handle, "ldc", call->ldc, "m", call->m);
    if (status == MUBLAS_SUCCESS && has_z)
        status = check_leading(handle, "ldz", call->ldc, "n", call->n);
    return status;
}

/* LAPACK's conditions. Of an interval nothing is known when the workspace is asked for. */
static enum mublas_status check_range(struct mublas_handle *handle, const struct eigen_call *call)
{
    const int64_t n = call->n, most = n > 1 ? n : 1, least = n < call->il ? n : call->il;
    if (call->range == MUBLAS_INDICES && (call->il < 1 || call->il > most))
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "il is %lld, not from 1 to %lld", (long long)call->il,
                           (long long)most);
    if (call->range == MUBLAS_INDICES && (call->iu < least || call->iu > n))
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "iu is %lld, not from %lld to %lld",
                           (long long)call->iu, (long long)least, (long long)n);
    return MUBLAS_SUCCESS;
}

enum mublas_status eigen_arguments_check(struct mublas_handle *handle, const struct eigen_call *call)
{
    const char *const wrong = wrong_flag(call);
    if (wrong)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s", wrong);
    const enum mublas_status status = check_sizes(handle, call);
    if (status != MUBLAS_SUCCESS)
        return status;
    if (call->m > INT32_MAX || call->n > INT32_MAX)
        return handle_fail(handle, MUBLAS_NOT_SUPPORTED,
                           "matrices of 2^31 rows or columns and more are not supported");
    return call->routine == EIGEN_SYEVDX ? check_range(handle, call) : MUBLAS_SUCCESS;
}

static const char *missing_pointer(const struct eigen_call *call)
{
    const bool is_solver = is_eigensolver(call), is_stedc = call->routine == EIGEN_STEDC;
    const int64_t order = eigen_call_order(call);
    if ((is_solver || is_stedc) && !call->info)
        return "info";
    if (call->routine == EIGEN_SYEVDX && !call->found)
        return "m";
    if (order == 0 || (call->routine == EIGEN_ORMTR && (call->m == 0 || call->n == 0)))
        return NULL;
    if (!is_stedc && !call->a)
        return "a";
    if (call->routine != EIGEN_ORMTR && !call->d)
        return is_solver ? "w" : "d";
    if ((is_stedc || call->routine == EIGEN_SYTRD) && order > 1 && !call->e)
        return "e";
    if ((call->routine == EIGEN_ORMTR || call->routine == EIGEN_SYTRD) && order > 1 && !call->tau)
        return "tau";
    if (call->routine == EIGEN_ORMTR && !call->c)
        return "c";
    return is_stedc && call->compz != MUBLAS_COMPZ_NONE && !call->c ? "z" : NULL;
}

enum mublas_status eigen_arguments_check_pointers(struct mublas_handle *handle, const struct eigen_call *call)
{
    const char *const missing = missing_pointer(call);
    if (missing)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s is NULL", missing);
    if (call->routine == EIGEN_SYEVDX && call->range == MUBLAS_INTERVAL && call->n > 0 &&
        !(call->vl < call->vu))
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "vl is %g, not less than vu, which is %g", call->vl,
                           call->vu);
    return MUBLAS_SUCCESS;
}

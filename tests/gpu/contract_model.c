#include "contract_model.h"

#include <math.h>
#include <string.h>

static int64_t term_count(const struct blas_call *call)
{
    return call->family == FAMILY_GEMV && call->trans != TRANS_NONE ? call->m : call->n;
}

/* Terms below one child of this level: 32, 64, 128, 256, then 64 times as many each. */
static int64_t level_terms(int level)
{
    return level <= 3 ? INT64_C(32) << level : INT64_C(256) << 6 * (level - 3);
}

static bool is_lane_leaf(const struct blas_call *call, int64_t i, int64_t leaf)
{
    if (call->family != FAMILY_SYMV)
        return call->trans != TRANS_NONE;
    return call->uplo == UPLO_LOWER ? leaf > i / 32 : leaf < i / 32;
}

#define REAL float
#define NAME(x) s_##x
#define FMA fmaf
#define LANE_RUN 4
#include "contract_model.inc"
#undef REAL
#undef NAME
#undef FMA
#undef LANE_RUN

#define REAL double
#define NAME(x) d_##x
#define FMA fma
#define LANE_RUN 2
#include "contract_model.inc"

/* What multiplies the old y and the sum: 1 where the routine has no such factor. */
static double effective_alpha(const struct blas_call *call)
{
    if (call->family == FAMILY_TRMV)
        return 1;
    return call->type == TYPE_S ? call->alpha.s : call->alpha.d;
}

static double effective_beta(const struct blas_call *call)
{
    if (call->family == FAMILY_TRMV)
        return 0;
    if (call->family == FAMILY_AXPY)
        return 1;
    return call->type == TYPE_S ? call->beta.s : call->beta.d;
}

void contract_model(const struct blas_call *call, void *result)
{
    const double alpha = effective_alpha(call), beta = effective_beta(call);
    if (call->type == TYPE_S)
        s_model(call, (float)alpha, (float)beta, result);
    else
        d_model(call, alpha, beta, result);
}

double contract_model_gauge(const struct blas_call *call, const void *result)
{
    const double alpha = effective_alpha(call), beta = effective_beta(call);
    if (call->type == TYPE_S)
        return s_gauge(call, (float)alpha, (float)beta, result);
    return d_gauge(call, alpha, beta, result);
}

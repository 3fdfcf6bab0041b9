#include "contract_model.h"

#include "wide_gauge.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static bool is_transposed(const struct blas_call *call)
{
    return call->trans == TRANS_TRANSPOSE || call->trans == TRANS_CONJUGATE;
}

static bool is_symmetric(const struct blas_call *call)
{
    return call->family == FAMILY_SYMV || call->family == FAMILY_HEMV;
}

static int64_t term_count(const struct blas_call *call)
{
    return call->family == FAMILY_GEMV && is_transposed(call) ? call->m : call->n;
}

/* Terms below one child of this level: 32, 64, 128, 256, then 64 times as many each. */
static int64_t level_terms(int level)
{
    return level <= 3 ? INT64_C(32) << level : INT64_C(256) << 6 * (level - 3);
}

static bool is_lane_leaf(const struct blas_call *call, int64_t i, int64_t leaf)
{
    if (!is_symmetric(call))
        return is_transposed(call);
    return call->uplo == UPLO_LOWER ? leaf > i / 32 : leaf < i / 32;
}

/* How the coefficient of a term is made of a stored element. */
enum coefficient { AS_STORED, CONJUGATED, REAL_PART, ONE };

#define REAL float
#define NAME(x) s_##x
#define FMA fmaf
#define LANE_RUN 4
#include "contract_model_real.inc"
#include "contract_model.inc"
#include "contract_model_gauge.inc"
#include "contract_model_end.inc"

#define REAL double
#define NAME(x) d_##x
#define FMA fma
#define LANE_RUN 2
#include "contract_model_real.inc"
#include "contract_model.inc"
#include "contract_model_gauge.inc"
#include "contract_model_end.inc"

#define REAL float
#define NAME(x) c_##x
#define FMA fmaf
#define LANE_RUN 2
#include "contract_model_complex.inc"
#include "contract_model.inc"
#include "contract_model_gauge.inc"
#include "contract_model_end.inc"

#define REAL double
#define NAME(x) z_##x
#define FMA fma
#define LANE_RUN 1
#include "contract_model_complex.inc"
#include "contract_model.inc"
#include "contract_model_gauge.inc"
#include "contract_model_end.inc"

#define REAL double
#define NAME(x) w_##x
#define FMA fma
#define LANE_RUN 1
#include "contract_model_double.inc"
#include "contract_model.inc"
#include "contract_model_end.inc"

void contract_model(const struct blas_call *call, void *result)
{
    static void (*const models[TYPE_COUNT])(const struct blas_call *, void *) = {s_model, d_model, c_model,
                                                                                 z_model, w_model};
    models[call->type](call, result);
}

bool contract_model_has_gauge(enum blas_type type)
{
    return type != TYPE_W || wide_gauge_exists;
}

double contract_model_gauge(const struct blas_call *call, const void *result)
{
    static double (*const gauges[TYPE_COUNT])(const struct blas_call *, const void *) = {s_gauge, d_gauge,
                                                                                         c_gauge, z_gauge,
                                                                                         wide_gauge};
    return gauges[call->type](call, result);
}

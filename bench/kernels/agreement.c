#include "agreement.h"

#include "gpu/launch.h"
#include "host_element.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_single(const struct bench_case *wanted)
{
    return wanted->type == TYPE_S || wanted->type == TYPE_C;
}

static bool is_complex(const struct bench_case *wanted)
{
    return wanted->type == TYPE_C || wanted->type == TYPE_Z;
}

static double epsilon(const struct bench_case *wanted)
{
    return is_single(wanted) ? (double)FLT_EPSILON : DBL_EPSILON;
}

static double tolerance(const struct bench_case *wanted)
{
    const double terms = wanted->family == FAMILY_AXPY ? 1 : (double)case_x_length(wanted);
    const double most = operands_magnitude(wanted->type), products = is_complex(wanted) ? 2 : 1;
    return 8 * epsilon(wanted) * (terms * products * most * most + most);
}

static double real_at(const struct bench_case *wanted, const void *reals, int64_t index)
{
    return is_single(wanted) ? (double)((const float *)reals)[index] : ((const double *)reals)[index];
}

/* How many tolerances they are apart where they are most; a NaN is more than anything. */
static double worst_difference(const struct bench_case *wanted, const void *one, const void *other,
                               int64_t reals, int64_t *where)
{
    const double most = tolerance(wanted);
    double worst = 0;
    *where = 0;
    for (int64_t i = 0; i < reals; i++) {
        const double difference = fabs(real_at(wanted, one, i) - real_at(wanted, other, i)) / most;
        if (!(difference <= worst)) {
            worst = isnan(difference) ? INFINITY : difference;
            *where = i;
        }
    }
    return worst;
}

/* How many times what it may be the distance is; a NaN is too far. */
static double excess(double result, long double exact, long double most)
{
    const double times = (double)(fabsl((long double)result - exact) / most);
    return isnan(times) ? INFINITY : times;
}

static void report(const struct bench_case *wanted, int64_t where, double own, double peer, long double exact)
{
    char flags[4];
    case_flags(wanted, flags);
    fprintf(
        stderr,
        "measure: %c%s %s m=%lld n=%lld %s: contenders disagree: real number %lld of the result is %.17g by "
        "mublas, %.17g by cuBLAS and %.17Lg by the host\n",
        case_type_letter(wanted->type), case_routine(wanted), flags, (long long)wanted->m,
        (long long)wanted->n, case_layout(wanted->layout), (long long)where, own, peer, exact);
}

/* Which of the two errs in this real number? */
static enum status judge(const struct operands *operands, const struct bench_case *wanted,
                         const struct rotation *rotation, int64_t where, double own, double peer,
                         enum agreement *agreement)
{
    const int parts = is_complex(wanted) ? 2 : 1;
    const struct blas_call call = contender_first_call(operands, wanted, rotation);
    struct host_element element;
    enum status status = contender_refresh(operands, wanted, rotation);
    if (status == STATUS_OK)
        status = host_element(operands->memory.lane, &call, where / parts, &element);
    if (status != STATUS_OK)
        return status;
    const long double exact = element.parts[where % parts];
    const long double of_chain = epsilon(wanted) / 2 * (double)element.products * element.magnitude;
    const bool own_errs = excess(own, exact, tolerance(wanted)) > 1,
               peer_errs = excess(peer, exact, of_chain) > 1;
    *agreement = own_errs ? AGREEMENT_DISAGREES : peer_errs ? AGREEMENT_PEER_ERRS : AGREEMENT_AGREES;
    if (own_errs || peer_errs)
        report(wanted, where, own, peer, exact);
    return STATUS_OK;
}

enum status agreement_check(enum contender peer, const struct operands *operands,
                            const struct bench_case *wanted, const struct rotation *rotation,
                            enum agreement *agreement)
{
    const size_t bytes = (size_t)case_y_length(wanted) * blas_element_bytes(wanted->type);
    void *left = malloc(bytes), *right = malloc(bytes);
    enum status status = left && right ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    *agreement = AGREEMENT_AGREES;
    if (status == STATUS_OK)
        status = contender_run_once(CONTENDER_MUBLAS, operands, wanted, rotation, left, bytes);
    if (status == STATUS_OK)
        status = contender_run_once(peer, operands, wanted, rotation, right, bytes);
    if (status == STATUS_OK) {
        const int64_t reals = (int64_t)(bytes / (is_single(wanted) ? sizeof(float) : sizeof(double)));
        int64_t where;
        if (worst_difference(wanted, left, right, reals, &where) > 1)
            status = judge(operands, wanted, rotation, where, real_at(wanted, left, where),
                           real_at(wanted, right, where), agreement);
    }
    free(left);
    free(right);
    return status;
}

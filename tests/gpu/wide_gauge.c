#include "wide_gauge.h"

#include <math.h>
#include <mpfr.h>

enum { BITS = 512 };

const bool wide_gauge_exists = true;

/* hi and lo of one element, in memory that is aligned like doubles. */
static void set_element(mpfr_t number, const void *elements, int64_t index)
{
    const double *parts = (const double *)elements + 2 * index;
    mpfr_set_d(number, parts[0], MPFR_RNDN);
    mpfr_add_d(number, number, parts[1], MPFR_RNDN);
}

static void set_vector_element(mpfr_t number, const struct blas_vector *vector, int64_t i)
{
    const int64_t from_start = vector->increment > 0 ? i : i + 1 - vector->length;
    set_element(number, vector->pointer, from_start * vector->increment);
}

/* sum += a b, bound += |a b|; `term` is for use in between. */
static void add_product(mpfr_t sum, mpfr_t bound, mpfr_t term, const mpfr_t a, const mpfr_t b)
{
    mpfr_mul(term, a, b, MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
    mpfr_abs(term, term, MPFR_RNDN);
    mpfr_add(bound, bound, term, MPFR_RNDN);
}

struct numbers {
    mpfr_t a, x, term, sum, bound;
};

/* Element i before rounding into sum, and what its error is measured by into bound. */
static void exact_result(const struct blas_call *call, int64_t i, struct numbers *numbers)
{
    mpfr_set_zero(numbers->sum, 1);
    mpfr_set_zero(numbers->bound, 1);
    for (int64_t j = 0; j < call->n; j++) {
        const bool stored = call->uplo == UPLO_LOWER ? i >= j : i <= j;
        set_element(numbers->a, call->a.pointer, stored ? i + j * call->a.ld : j + i * call->a.ld);
        set_vector_element(numbers->x, &call->x, j);
        add_product(numbers->sum, numbers->bound, numbers->term, numbers->a, numbers->x);
    }
    set_element(numbers->a, &call->alpha, 0);
    mpfr_mul(numbers->sum, numbers->sum, numbers->a, MPFR_RNDN);
    mpfr_abs(numbers->a, numbers->a, MPFR_RNDN);
    mpfr_mul(numbers->bound, numbers->bound, numbers->a, MPFR_RNDN);
    if (blas_scalar_is_zero(TYPE_W, call->beta))
        return;
    set_element(numbers->a, &call->beta, 0);
    set_vector_element(numbers->x, &call->y, i);
    add_product(numbers->sum, numbers->bound, numbers->term, numbers->a, numbers->x);
}

static double units_of_error(const struct blas_call *call, const void *results, int64_t i,
                             struct numbers *numbers)
{
    exact_result(call, i, numbers);
    set_element(numbers->a, results, i);
    mpfr_sub(numbers->sum, numbers->a, numbers->sum, MPFR_RNDN);
    if (mpfr_zero_p(numbers->sum))
        return 0;
    mpfr_mul_2si(numbers->bound, numbers->bound, -104, MPFR_RNDN);
    mpfr_div(numbers->sum, numbers->sum, numbers->bound, MPFR_RNDN);
    return fabs(mpfr_get_d(numbers->sum, MPFR_RNDN));
}

double wide_gauge(const struct blas_call *call, const void *results)
{
    struct numbers numbers;
    double worst = 0;
    mpfr_inits2(BITS, numbers.a, numbers.x, numbers.term, numbers.sum, numbers.bound, (mpfr_ptr)NULL);
    for (int64_t i = 0; i < call->y.length; i++) {
        const double units = units_of_error(call, results, i, &numbers);
        if (!(units <= worst))
            worst = isfinite(units) ? units : INFINITY;
    }
    mpfr_clears(numbers.a, numbers.x, numbers.term, numbers.sum, numbers.bound, (mpfr_ptr)NULL);
    mpfr_free_cache();
    return worst;
}

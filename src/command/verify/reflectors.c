#include "command/verify/reflectors.h"
#include "command/verify/arrays.h"

/* The place of a reflector: its column in the matrix, the row of its 1, and the rows of the rest. */
struct place {
    int64_t column, one, begin, end;
};

static struct place place_of(const struct reflectors *reflectors, int64_t r)
{
    const int64_t order = reflectors->order;
    switch (reflectors->form) {
    case REFLECTORS_LOWER: return (struct place){r, r + 1, r + 2, order};
    case REFLECTORS_UPPER: return (struct place){r + 1, r, 0, r};
    case REFLECTORS_QR: break;
    }
    return (struct place){r, r, r + 1, order};
}

void reflectors_take(struct reflectors *reflectors, enum blas_type type, const char *a, int64_t ld,
                     const char *tau)
{
    for (int64_t r = 0; r < reflectors->count; r++) {
        const struct place place = place_of(reflectors, r);
        struct number *const v = reflectors->v + r * reflectors->order;
        for (int64_t i = 0; i < reflectors->order; i++)
            v[i] = i >= place.begin && i < place.end ? number_get(type, a, i + place.column * ld)
                                                     : (struct number){i == place.one, 0};
        if (tau)
            reflectors->tau[r] = number_get(type, tau, r);
    }
}

/* x -= tau v (v* x) */
static void apply_one(const struct reflectors *reflectors, int64_t r, bool adjoint, struct number *x)
{
    const struct number *const v = reflectors->v + r * reflectors->order;
    const struct number tau = {reflectors->tau[r].re,
                               adjoint ? -reflectors->tau[r].im : reflectors->tau[r].im};
    struct number sum = {0, 0};
    for (int64_t i = 0; i < reflectors->order; i++) {
        sum.re += v[i].re * x[i].re + v[i].im * x[i].im;
        sum.im += v[i].re * x[i].im - v[i].im * x[i].re;
    }
    const struct number by = {tau.re * sum.re - tau.im * sum.im, tau.re * sum.im + tau.im * sum.re};
    for (int64_t i = 0; i < reflectors->order; i++) {
        x[i].re -= v[i].re * by.re - v[i].im * by.im;
        x[i].im -= v[i].re * by.im + v[i].im * by.re;
    }
}

void reflectors_apply(const struct reflectors *reflectors, bool adjoint, int64_t columns, struct number *to)
{
    const bool ascending = adjoint != (reflectors->form == REFLECTORS_UPPER);
    const int64_t count = reflectors->count;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < count; i++)
            apply_one(reflectors, ascending ? i : count - 1 - i, adjoint, to + j * reflectors->order);
}

void reflectors_matrix(const struct reflectors *reflectors, int64_t columns, struct number *to)
{
    dense_set_identity(reflectors->order, columns, to);
    reflectors_apply(reflectors, false, columns, to);
}

/* H(j)* turns the alpha of its column into a real beta, with zeros below: tau = (beta - alpha) / beta. */
void reflectors_find_scalars(struct reflectors *reflectors, enum blas_type type, const char *factors,
                             int64_t ld, const struct number *a, struct number *column)
{
    for (int64_t r = 0; r < reflectors->count; r++) {
        const double beta = number_get(type, factors, r + r * ld).re;
        for (int64_t i = 0; i < reflectors->order; i++)
            column[i] = a[i + r * reflectors->order];
        for (int64_t before = 0; before < r; before++)
            apply_one(reflectors, before, true, column);
        reflectors->tau[r] = (struct number){(beta - column[r].re) / beta, -column[r].im / beta};
    }
}

void reflectors_fill(const struct reflectors *reflectors, enum blas_type type, char *a, int64_t ld, char *tau,
                     uint64_t *seed)
{
    const double angle = blas_is_complex(type) ? 0.5 : 0;
    for (int64_t r = 0; r < reflectors->count; r++) {
        const struct place place = place_of(reflectors, r);
        double sum = 1;
        for (int64_t i = place.begin; i < place.end; i++) {
            number_put(type, a, i + place.column * ld, verify_random(seed));
            const struct number value = number_get(type, a, i + place.column * ld);
            sum += value.re * value.re + value.im * value.im;
        }
        number_put(type, tau, r, (struct number){(1 + cos(angle)) / sum, sin(angle) / sum});
    }
}

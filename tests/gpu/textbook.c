#include "textbook.h"

struct number {
    double re, im;
    bool real; /* the imaginary part is no operand of anything */
};

static struct number sum(struct number a, struct number b)
{
    return (struct number){a.re + b.re, a.real ? 0 : a.im + b.im, a.real};
}

static struct number product(struct number a, struct number b)
{
    if (a.real)
        return (struct number){a.re * b.re, 0, true};
    return (struct number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, false};
}

static struct number conjugate(struct number a)
{
    a.im = -a.im;
    return a;
}

static bool equals(struct number a, double value)
{
    return a.re == value && a.im == 0;
}

static struct number element(enum blas_type type, const void *elements, int64_t i)
{
    switch (type) {
    case TYPE_S: return (struct number){((const float *)elements)[i], 0, true};
    case TYPE_D: return (struct number){((const double *)elements)[i], 0, true};
    case TYPE_C:
        return (struct number){((const float *)elements)[2 * i], ((const float *)elements)[2 * i + 1], false};
    case TYPE_W:
        return (struct number){((const double *)elements)[2 * i], 0, true}; /* where NaNs appear, hi tells */
    default:
        return (struct number){((const double *)elements)[2 * i], ((const double *)elements)[2 * i + 1],
                               false};
    }
}

static struct number vector_element(const struct blas_call *call, const struct blas_vector *vector, int64_t i)
{
    const int64_t first = vector->increment > 0 ? 0 : (1 - vector->length) * vector->increment;
    return element(call->type, vector->pointer, first + i * vector->increment);
}

static struct number matrix_element(const struct blas_call *call, int64_t i, int64_t j)
{
    return element(call->type, call->a.pointer, i + j * call->a.ld);
}

static bool is_stored(const struct blas_call *call, int64_t i, int64_t j)
{
    return call->family == FAMILY_GEMV || (call->uplo == UPLO_LOWER ? i >= j : i <= j);
}

static struct number gemv(const struct blas_call *call, int64_t i, struct number alpha, struct number y)
{
    const bool transposed = call->trans == TRANS_TRANSPOSE || call->trans == TRANS_CONJUGATE;
    const bool conjugated = call->trans == TRANS_CONJUGATE || call->trans == TRANS_CONJUGATE_ONLY;
    struct number dot = {0, 0, y.real};
    for (int64_t j = 0; j < (transposed ? call->m : call->n); j++) {
        const struct number stored = transposed ? matrix_element(call, j, i) : matrix_element(call, i, j);
        const struct number a = conjugated ? conjugate(stored) : stored;
        const struct number x = vector_element(call, &call->x, j);
        if (transposed)
            dot = sum(dot, product(a, x));
        else
            y = sum(y, product(product(alpha, x), a));
    }
    return transposed ? sum(y, product(alpha, dot)) : y;
}

/* symv and hemv: the stored half with alpha on x, the other with alpha on the sum. */
static struct number symmetric(const struct blas_call *call, int64_t i, struct number alpha, struct number y)
{
    struct number dot = {0, 0, y.real};
    for (int64_t j = 0; j < call->n; j++) {
        const bool stored = is_stored(call, i, j);
        struct number a = stored ? matrix_element(call, i, j) : matrix_element(call, j, i);
        const struct number x = vector_element(call, &call->x, j);
        if (i == j)
            a.im = 0;
        if (call->family == FAMILY_HEMV && i != j && stored == call->conjugated)
            a = conjugate(a);
        if (stored)
            y = sum(y, product(product(alpha, x), a));
        else
            dot = sum(dot, product(a, x));
    }
    return sum(y, product(alpha, dot));
}

static struct number trmv(const struct blas_call *call, int64_t i)
{
    const bool transposed = call->trans == TRANS_TRANSPOSE || call->trans == TRANS_CONJUGATE;
    const bool conjugated = call->trans == TRANS_CONJUGATE || call->trans == TRANS_CONJUGATE_ONLY;
    struct number result = {0, 0, vector_element(call, &call->x, i).real};
    for (int64_t j = 0; j < call->n; j++) {
        const int64_t row = transposed ? j : i, column = transposed ? i : j;
        const struct number x = vector_element(call, &call->x, j);
        if (!is_stored(call, row, column))
            continue;
        const struct number stored = matrix_element(call, row, column);
        if (i == j && call->diag == DIAG_UNIT)
            result = sum(result, x);
        else
            result = sum(result, product(conjugated ? conjugate(stored) : stored, x));
    }
    return result;
}

static struct number scaled(struct number beta, struct number y)
{
    if (equals(beta, 0))
        return (struct number){0, 0, y.real};
    return equals(beta, 1) ? y : product(beta, y);
}

static struct number one_result(const struct blas_call *call, int64_t i)
{
    const struct number alpha = element(call->type, &call->alpha, 0),
                        beta = element(call->type, &call->beta, 0);
    const struct number y = vector_element(call, &call->y, i);
    switch (call->family) {
    case FAMILY_AXPY: return sum(y, product(alpha, vector_element(call, &call->x, i)));
    case FAMILY_GEMV: return gemv(call, i, alpha, scaled(beta, y));
    case FAMILY_SYMV:
    case FAMILY_HEMV: return symmetric(call, i, alpha, scaled(beta, y));
    default: return trmv(call, i);
    }
}

void textbook(const struct blas_call *call, double *result)
{
    for (int64_t i = 0; i < call->y.length; i++) {
        const struct number value = one_result(call, i);
        result[2 * i] = value.re;
        result[2 * i + 1] = value.im;
    }
}

#include "command/routine_call.h"
#include "command/verify/lapack.h"
#include "command/verify/verify.h"
#include "interpose/entries/pack.h"

#include <stdlib.h>
#include <string.h>

/* Parts in [-1, 1). */
static struct number random_number(enum blas_type type, uint64_t *seed)
{
    const double re = 2 * random_part(seed) - 1;
    return (struct number){re, blas_is_complex(type) ? 2 * random_part(seed) - 1 : 0};
}

static bool is_output(const struct blas_call *call, const struct blas_vector *vector)
{
    return vector == (call->family == FAMILY_TRMV ? &call->x : &call->y);
}

/* A Hermitian result gets a real diagonal, whatever is there. */
static bool is_hermitian_result(const struct blas_call *call, const struct blas_matrix *matrix)
{
    return matrix == &call->c && (call->family == FAMILY_HERK || call->family == FAMILY_HER2K);
}

static bool is_hermitian(const struct blas_call *call, const struct blas_matrix *matrix)
{
    const enum blas_family family = blas_full_family(call->family);
    return matrix == &call->a && (family == FAMILY_HEMV || family == FAMILY_HEMM);
}

static bool has_unit_diagonal(const struct blas_call *call, const struct blas_matrix *matrix)
{
    return matrix == &call->a && matrix->part != PART_FULL && call->diag == DIAG_UNIT;
}

/* The part of a matrix in packed storage, whose elements `matrix` has as one column, becomes that of the square. */
static struct blas_matrix square_of(const struct blas_call *call, const struct blas_matrix *matrix)
{
    if (!blas_is_packed(call) || matrix != &call->a)
        return *matrix;
    return (struct blas_matrix){matrix->pointer, call->n, call->n, call->n,
                                call->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER};
}

static int64_t element_index(const struct blas_call *call, const struct blas_matrix *matrix, int64_t i, int64_t j)
{
    return blas_is_packed(call) && matrix == &call->a ? blas_packed_index(call->uplo, call->n, i, j)
                                                      : i + j * matrix->ld;
}

/* Makes NaN what the routine must not read of element (i, j) of its part. */
static void poison_element(const struct blas_call *call, const struct blas_matrix *matrix, char *elements,
                           int64_t i, int64_t j)
{
    const int64_t index = element_index(call, matrix, i, j);
    if ((matrix == &call->c && is_overwritten(call)) || (i == j && has_unit_diagonal(call, matrix)))
        number_put(call->type, elements, index, (struct number){NAN, NAN});
    else if (i == j && (is_hermitian(call, matrix) || is_hermitian_result(call, matrix)))
        number_put(call->type, elements, index,
                   (struct number){number_get(call->type, elements, index).re, NAN});
}

/* Triangular matrices of systems have a large diagonal, so that solutions do not grow. */
static struct number matrix_value(const struct blas_call *call, const struct blas_matrix *matrix, int64_t i,
                                  int64_t j,
                                  uint64_t *seed)
{
    const struct number value = random_number(call->type, seed);
    if (call->family != FAMILY_TRSM || matrix != &call->a)
        return value;
    if (i == j)
        return (struct number){value.re + copysign(1, value.re), value.im};
    return (struct number){value.re / (double)matrix->rows, value.im / (double)matrix->rows};
}

/* Three copies; `before` is NaN everywhere. */
static bool make_buffer(struct verify_buffer *buffer, size_t elements, enum blas_type type)
{
    const size_t bytes = elements * blas_element_bytes(type);
    buffer->elements = elements;
    buffer->ours = malloc(bytes);
    buffer->before = malloc(bytes);
    buffer->hosts = calloc(bytes, 1);
    if (!buffer->ours || !buffer->before || !buffer->hosts)
        return false;
    memset(buffer->before, 0xff, bytes);
    return true;
}

static bool make_matrix(const struct blas_call *call, const struct blas_matrix *matrix,
                        struct verify_buffer *buffer,
                        uint64_t *seed)
{
    if (matrix->rows == 0)
        return true;
    if (!make_buffer(buffer, (size_t)matrix->ld * (size_t)matrix->columns, call->type))
        return false;
    const struct blas_matrix square = square_of(call, matrix);
    for (int64_t j = 0; j < square.columns; j++)
        for (int64_t i = 0; i < square.rows; i++)
            if (matrix_has(&square, i, j)) {
                struct number value = matrix_value(call, matrix, i, j, seed);
                number_put(call->type, buffer->hosts, element_index(call, matrix, i, j), value);
                number_put(call->type, buffer->before, element_index(call, matrix, i, j), value);
                poison_element(call, matrix, buffer->before, i, j);
            }
    memcpy(buffer->ours, buffer->before, buffer->elements * blas_element_bytes(call->type));
    return true;
}

static bool make_vector(const struct blas_call *call, const struct blas_vector *vector,
                        struct verify_buffer *buffer,
                        uint64_t *seed)
{
    if (vector->length == 0)
        return true;
    const int64_t step = vector->increment > 0 ? vector->increment : -vector->increment;
    if (!make_buffer(buffer, (size_t)((vector->length - 1) * step + 1), call->type))
        return false;
    for (int64_t i = 0; i < vector->length; i++) {
        const struct number value = random_number(call->type, seed);
        number_put(call->type, buffer->hosts, vector_index(vector, i), value);
        if (!is_output(call, vector) || !is_overwritten(call))
            number_put(call->type, buffer->before, vector_index(vector, i), value);
    }
    memcpy(buffer->ours, buffer->before, buffer->elements * blas_element_bytes(call->type));
    return true;
}

bool verify_operands_make(struct verify_operands *operands, const struct blas_call *call, uint64_t *seed)
{
    struct blas_call *ours = &operands->ours, *hosts = &operands->hosts;
    memset(operands, 0, sizeof *operands);
    *ours = *call;
    if (!pack_legal(ours) || !make_matrix(ours, &ours->a, &operands->a, seed) ||
        !make_matrix(ours, &ours->b, &operands->b, seed) || !make_matrix(ours, &ours->c, &operands->c,
                                                                         seed) ||
        !make_vector(ours, &ours->x, &operands->x, seed) || !make_vector(ours, &ours->y, &operands->y, seed))
        return false;
    *hosts = *ours;
    ours->a.pointer = operands->a.ours, hosts->a.pointer = operands->a.hosts;
    ours->b.pointer = operands->b.ours, hosts->b.pointer = operands->b.hosts;
    ours->c.pointer = operands->c.ours, hosts->c.pointer = operands->c.hosts;
    ours->x.pointer = operands->x.ours, hosts->x.pointer = operands->x.hosts;
    ours->y.pointer = operands->y.ours, hosts->y.pointer = operands->y.hosts;
    return true;
}

void verify_operands_free(struct verify_operands *operands)
{
    struct verify_buffer *buffers[] = {&operands->a, &operands->b, &operands->c, &operands->x, &operands->y};
    for (int i = 0; i < 5; i++) {
        free(buffers[i]->ours);
        free(buffers[i]->before);
        free(buffers[i]->hosts);
    }
}

static bool same(const struct verify_buffer *buffer, size_t first, size_t count, size_t element)
{
    return count == 0 || memcmp(buffer->ours + first * element, buffer->before + first * element,
                                count * element) == 0;
}

/* Compares what lies outside the results; `results` marks those with a byte for each element. */
static bool kept_outside(const struct verify_buffer *buffer, const char *results, size_t element)
{
    for (size_t i = 0; i < buffer->elements; i++)
        if (!results[i] && !same(buffer, i, 1, element))
            return false;
    return true;
}

bool verify_operands_kept(const struct verify_operands *operands)
{
    const struct blas_call *call = &operands->ours;
    const size_t element = blas_element_bytes(call->type);
    const bool is_trmv = call->family == FAMILY_TRMV, is_matrix = call->c.rows > 0;
    const struct verify_buffer *output = is_matrix ? &operands->c : is_trmv ? &operands->x : &operands->y;
    char *results = calloc(output->elements, 1);
    bool kept = results && same(&operands->a, 0, operands->a.elements, element) &&
                same(&operands->b, 0, operands->b.elements, element) &&
                (is_trmv || same(&operands->x, 0, operands->x.elements, element));
    for (int64_t j = 0; kept && is_matrix && j < call->c.columns; j++)
        for (int64_t i = 0; i < call->c.rows; i++)
            results[i + j * call->c.ld] = matrix_has(&call->c, i, j);
    const struct blas_vector *vector = is_trmv ? &call->x : &call->y;
    for (int64_t i = 0; kept && !is_matrix && i < vector->length; i++)
        results[vector_index(vector, i)] = 1;
    kept = kept && kept_outside(output, results, element);
    free(results);
    return kept;
}

/* verify_operands_ratio measures each element by the magnitudes of its terms. */

static double size_at(enum blas_type type, const char *elements, int64_t index)
{
    return number_size(number_get(type, elements, index));
}

static double scalar_size(const struct blas_call *call, const union blas_scalar *scalar)
{
    return size_at(call->type, (const char *)scalar, 0);
}

/* Element (i, j) of A as the routine multiplies with it: op(A), both triangles of a symmetric
 * matrix, one of a triangular one. */
static struct number factor(const struct verify_operands *operands, int64_t i, int64_t j)
{
    const struct blas_call *call = &operands->hosts;
    const struct blas_matrix a = square_of(call, &call->a);
    const bool symmetric = blas_is_symmetric(call) || call->family == FAMILY_SYMM || call->family == FAMILY_HEMM;
    const bool mirrored = symmetric ? !matrix_has(&a, i, j) : call->trans != TRANS_NONE;
    const int64_t row = mirrored ? j : i, column = mirrored ? i : j;
    if (!matrix_has(&a, row, column))
        return (struct number){0, 0};
    if (!symmetric && a.part != PART_FULL && i == j && call->diag == DIAG_UNIT)
        return (struct number){1, 0};
    struct number value = number_get(call->type, operands->a.hosts, element_index(call, &call->a, row, column));
    if (is_hermitian(call, &call->a) && i == j)
        value.im = 0;
    if (!symmetric && call->trans == TRANS_CONJUGATE)
        value.im = -value.im;
    return value;
}

static double factor_size(const struct verify_operands *operands, int64_t i, int64_t j)
{
    return number_size(factor(operands, i, j));
}

/* The same for op(B), which for trmm and trsm is B as it was. */
static double second_size(const struct verify_operands *operands, int64_t i, int64_t j)
{
    const struct blas_call *call = &operands->hosts;
    const bool is_update = call->family == FAMILY_SYR2K || call->family == FAMILY_HER2K;
    if (blas_is_in_place(call))
        return size_at(call->type, operands->c.before, i + j * call->c.ld);
    const bool mirrored = (is_update ? call->trans : call->trans_b) != TRANS_NONE;
    return size_at(call->type, operands->b.hosts, mirrored ? j + i * call->b.ld : i + j * call->b.ld);
}

/* The size by which the error of result i is measured, from the vectors as they were. */
static double vector_bound(const struct verify_operands *operands, int64_t i)
{
    const struct blas_call *call = &operands->ours;
    const bool is_trmv = call->family == FAMILY_TRMV;
    double alpha = is_trmv ? 1 : scalar_size(call, &call->alpha), sum = 0, before = 0;
    if (call->family == FAMILY_AXPY)
        sum = size_at(call->type, operands->x.before, vector_index(&call->x, i));
    for (int64_t j = 0; call->family != FAMILY_AXPY && j < call->x.length; j++)
        sum += factor_size(operands, i, j) * size_at(call->type, operands->x.before, vector_index(&call->x,
                                                                                                  j));
    if (!is_trmv && !is_overwritten(call))
        before = size_at(call->type, operands->y.before, vector_index(&call->y, i)) *
                 (call->family == FAMILY_AXPY ? 1 : scalar_size(call, &call->beta));
    return alpha * sum + before;
}

/* The terms of element (i, j) of C. */
static double terms_size(const struct verify_operands *operands, int64_t i, int64_t j)
{
    const struct blas_call *call = &operands->hosts;
    double sum = 0;
    switch (call->family) {
    case FAMILY_GEMM:
        for (int64_t l = 0; l < call->k; l++)
            sum += factor_size(operands, i, l) * second_size(operands, l, j);
        return sum;
    case FAMILY_SYRK:
    case FAMILY_HERK:
        for (int64_t l = 0; l < call->k; l++)
            sum += factor_size(operands, i, l) * factor_size(operands, j, l);
        return sum;
    case FAMILY_SYR2K:
    case FAMILY_HER2K:
        for (int64_t l = 0; l < call->k; l++)
            sum += factor_size(operands, i, l) * second_size(operands, j, l) +
                   second_size(operands, i, l) * factor_size(operands, j, l);
        return sum;
    case FAMILY_SYMM: /* a matrix on one side */
    case FAMILY_HEMM:
    case FAMILY_TRMM:
    case FAMILY_TRSM:
        for (int64_t l = 0; l < call->a.rows; l++)
            sum += call->side == SIDE_LEFT ? factor_size(operands, i, l) * second_size(operands, l, j)
                                           : second_size(operands, i, l) * factor_size(operands, l, j);
        return sum;
    default: return sum; /* of other levels */
    }
}

static double matrix_bound(const struct verify_operands *operands, int64_t i, int64_t j)
{
    const struct blas_call *call = &operands->ours;
    double before = 0;
    if (!is_overwritten(call) && !blas_is_in_place(call)) {
        struct number value = number_get(call->type, operands->c.before, i + j * call->c.ld);
        before = fabs(value.re) + (isnan(value.im) ? 0 : fabs(value.im)); /* a Hermitian diagonal */
    }
    return scalar_size(call, &call->alpha) * terms_size(operands, i, j) + scalar_size(call,
                                                                                      &call->beta) * before;
}

static double eps_of(enum blas_type type)
{
    return type == TYPE_S || type == TYPE_C ? 0x1p-24 : 0x1p-53;
}

static double units(enum blas_type type, double difference, double bound)
{
    return difference == 0 ? 0 : isfinite(difference) ? difference / (eps_of(type) * bound) : INFINITY;
}

static struct number difference_at(enum blas_type type, const struct verify_buffer *buffer, int64_t index)
{
    const struct number ours = number_get(type, buffer->ours, index), hosts = number_get(type, buffer->hosts,
                                                                                         index);
    return (struct number){ours.re - hosts.re, ours.im - hosts.im};
}

static double vector_ratio(const struct verify_operands *operands, const struct blas_vector *vector,
                           const struct verify_buffer *buffer)
{
    const enum blas_type type = operands->ours.type;
    double worst = 0;
    for (int64_t i = 0; i < vector->length; i++) {
        const double difference = number_size(difference_at(type, buffer, vector_index(vector, i)));
        worst = fmax(worst, units(type, difference, vector_bound(operands, i)));
    }
    return worst;
}

/* trsm: measures op(A) times the difference of two solutions by op(A) times a solution and the right-hand
 * side; otherwise a nearly singular matrix would count as a fault. */
static double solution_units(const struct verify_operands *operands, int64_t i, int64_t j)
{
    const struct blas_call *call = &operands->hosts;
    const bool left = call->side == SIDE_LEFT;
    struct number sum = {0, 0};
    double bound = scalar_size(call, &call->alpha) * second_size(operands, i, j);
    for (int64_t l = 0; l < call->a.rows; l++) {
        const int64_t index = left ? l + j * call->c.ld : i + l * call->c.ld;
        const struct number a = left ? factor(operands, i, l) : factor(operands, l, j);
        const struct number d = difference_at(call->type, &operands->c, index);
        if (a.re == 0 && a.im == 0)
            continue;
        sum.re += a.re * d.re - a.im * d.im;
        sum.im += a.re * d.im + a.im * d.re;
        bound += number_size(a) * size_at(call->type, operands->c.hosts, index);
    }
    return units(call->type, number_size(sum), bound);
}

static double matrix_ratio(const struct verify_operands *operands)
{
    const struct blas_call *call = &operands->ours;
    double worst = 0;
    for (int64_t j = 0; j < call->c.columns; j++)
        for (int64_t i = 0; i < call->c.rows; i++) {
            if (!matrix_has(&call->c, i, j))
                continue;
            const double difference = number_size(difference_at(call->type, &operands->c,
                                                                i + j * call->c.ld));
            const double wrong = call->family == FAMILY_TRSM
                                     ? solution_units(operands, i, j)
                                     : units(call->type, difference, matrix_bound(operands, i, j));
            worst = fmax(worst, wrong);
        }
    return worst;
}

double verify_operands_ratio(const struct verify_operands *operands)
{
    const struct blas_call *call = &operands->ours;
    if (call->c.rows > 0)
        return matrix_ratio(operands);
    if (call->family == FAMILY_TRMV)
        return vector_ratio(operands, &call->x, &operands->x);
    return vector_ratio(operands, &call->y, &operands->y);
}

#include "command/verify/operands.h"
#include "command/random_flags.h"
#include "command/verify/numbers.h"
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
    return matrix == &call->a && (call->family == FAMILY_HEMV || call->family == FAMILY_HEMM);
}

static bool has_unit_diagonal(const struct blas_call *call, const struct blas_matrix *matrix)
{
    return matrix == &call->a && matrix->part != PART_FULL && call->diag == DIAG_UNIT;
}

/* Makes NaN what the routine must not read of element (i, j) of its part. */
static void poison_element(const struct blas_call *call, const struct blas_matrix *matrix, char *elements,
                           int64_t i, int64_t j)
{
    const int64_t index = i + j * matrix->ld;
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
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++)
            if (matrix_has(matrix, i, j)) {
                struct number value = matrix_value(call, matrix, i, j, seed);
                number_put(call->type, buffer->hosts, i + j * matrix->ld, value);
                number_put(call->type, buffer->before, i + j * matrix->ld, value);
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

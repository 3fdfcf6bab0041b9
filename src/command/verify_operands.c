#include "command/verify_operands.h"
#include "interpose/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct number {
    double re, im;
};

static bool is_complex(enum blas_type type)
{
    return type == TYPE_C || type == TYPE_Z;
}

static void put(enum blas_type type, char *elements, int64_t index, struct number value)
{
    switch (type) {
    case TYPE_S: ((float *)elements)[index] = (float)value.re; break;
    case TYPE_D: ((double *)elements)[index] = value.re; break;
    case TYPE_C:
        ((float *)elements)[2 * index] = (float)value.re;
        ((float *)elements)[2 * index + 1] = (float)value.im;
        break;
    default:
        ((double *)elements)[2 * index] = value.re;
        ((double *)elements)[2 * index + 1] = value.im;
    }
}

static struct number get(enum blas_type type, const char *elements, int64_t index)
{
    switch (type) {
    case TYPE_S: return (struct number){((const float *)elements)[index], 0};
    case TYPE_D: return (struct number){((const double *)elements)[index], 0};
    case TYPE_C: return (struct number){((const float *)elements)[2 * index],
                                        ((const float *)elements)[2 * index + 1]};
    default: return (struct number){((const double *)elements)[2 * index],
                                    ((const double *)elements)[2 * index + 1]};
    }
}

/* |re| + |im|, as the testers measure. */
static double size_of(struct number value)
{
    return fabs(value.re) + fabs(value.im);
}

static double size_at(enum blas_type type, const char *elements, int64_t index)
{
    return size_of(get(type, elements, index));
}

/* In [-1, 1) (splitmix64). */
static double random_value(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)(int64_t)(z ^ z >> 31) * 0x1p-63;
}

static int64_t vector_index(const struct blas_vector *vector, int64_t i)
{
    return vector->increment > 0 ? i * vector->increment : (i + 1 - vector->length) * vector->increment;
}

static bool is_triangle(const struct blas_matrix *matrix)
{
    return matrix->part != PART_FULL;
}

static bool in_part(const struct blas_matrix *matrix, int64_t i, int64_t j)
{
    return matrix->part == PART_FULL || (matrix->part == PART_LOWER ? i >= j : i <= j);
}

static bool is_output(const struct blas_call *call, const struct blas_vector *vector)
{
    return vector == (call->family == FAMILY_TRMV ? &call->x : &call->y);
}

/* What must not be read of a result that is only written. */
static bool is_overwritten(const struct blas_call *call)
{
    return call->family != FAMILY_TRMV && call->family != FAMILY_AXPY && blas_scalar_is_zero(call->type,
                                                                                             call->beta);
}

/* Of element (i, j) of A or C, one that the routine may read, what it does not. */
static void poison_element(const struct blas_call *call, const struct blas_matrix *matrix, char *elements,
                           int64_t i, int64_t j)
{
    const int64_t index = i + j * matrix->ld;
    if (matrix == &call->c && is_overwritten(call))
        put(call->type, elements, index, (struct number){NAN, NAN});
    if (i != j || matrix != &call->a)
        return;
    if (call->family == FAMILY_HEMV)
        put(call->type, elements, index, (struct number){get(call->type, elements, index).re, NAN});
    if (call->family == FAMILY_TRMV && call->diag == DIAG_UNIT)
        put(call->type, elements, index, (struct number){NAN, NAN});
}

static bool make_buffer(struct verify_buffer *buffer, size_t elements, enum blas_type type)
{
    const size_t bytes = elements * blas_element_bytes(type);
    buffer->elements = elements;
    buffer->ours = malloc(bytes);
    buffer->before = malloc(bytes);
    buffer->hosts = calloc(bytes, 1);
    return buffer->ours && buffer->before && buffer->hosts;
}

/* Everything NaN, then what is read and its copy. */
static bool make_matrix(const struct blas_call *call, const struct blas_matrix *matrix,
                        struct verify_buffer *buffer,
                        uint64_t *seed)
{
    if (matrix->rows == 0)
        return true;
    if (!make_buffer(buffer, (size_t)matrix->ld * (size_t)matrix->columns, call->type))
        return false;
    memset(buffer->before, 0xff, buffer->elements * blas_element_bytes(call->type));
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++)
            if (in_part(matrix, i, j)) {
                double re = random_value(seed);
                struct number value = {re, is_complex(call->type) ? random_value(seed) : 0};
                put(call->type, buffer->hosts, i + j * matrix->ld, value);
                put(call->type, buffer->before, i + j * matrix->ld, value);
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
    memset(buffer->before, 0xff, buffer->elements * blas_element_bytes(call->type));
    for (int64_t i = 0; i < vector->length; i++) {
        double re = random_value(seed);
        struct number value = {re, is_complex(call->type) ? random_value(seed) : 0};
        put(call->type, buffer->hosts, vector_index(vector, i), value);
        if (!is_output(call, vector) || !is_overwritten(call))
            put(call->type, buffer->before, vector_index(vector, i), value);
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

/* |element (i, j)| of what the routine multiplies x by. */
static double factor_size(const struct verify_operands *operands, int64_t i, int64_t j)
{
    const struct blas_call *call = &operands->hosts;
    const struct blas_matrix *a = &call->a;
    int64_t row = i, column = j;
    bool mirrored = call->family == FAMILY_SYMV || call->family == FAMILY_HEMV ? !in_part(a, i,
                                                                                          j) : call->trans
                                                                                              != TRANS_NONE;
    if (mirrored)
        row = j, column = i;
    if (is_triangle(a) && !in_part(a, row, column))
        return 0;
    if (call->family == FAMILY_TRMV && i == j && call->diag == DIAG_UNIT)
        return 1;
    struct number value = get(call->type, operands->a.hosts, row + column * a->ld);
    return call->family == FAMILY_HEMV && i == j ? fabs(value.re) : size_of(value);
}

static double scalar_size(const struct blas_call *call, const union blas_scalar *scalar)
{
    return size_at(call->type, (const char *)scalar, 0);
}

/* The size of result i by which its error is measured; vectors as they were. */
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

static double matrix_bound(const struct verify_operands *operands, int64_t i, int64_t j)
{
    const struct blas_call *call = &operands->hosts;
    const bool upright = call->trans == TRANS_NONE;
    double sum = 0;
    for (int64_t l = 0; l < call->k; l++) {
        int64_t ai = upright ? i + l * call->a.ld : l + i * call->a.ld,
            aj = upright ? j + l * call->a.ld : l + j * call->a.ld;
        int64_t bi = upright ? i + l * call->b.ld : l + i * call->b.ld,
            bj = upright ? j + l * call->b.ld : l + j * call->b.ld;
        sum += size_at(call->type, operands->a.hosts, ai) * size_at(call->type, operands->b.hosts, bj) +
               size_at(call->type, operands->b.hosts, bi) * size_at(call->type, operands->a.hosts, aj);
    }
    double before = is_overwritten(call) ? 0 : size_at(call->type, operands->c.before, i + j * call->c.ld);
    return scalar_size(call, &call->alpha) * sum + scalar_size(call, &call->beta) * before;
}

static double units(enum blas_type type, struct number ours, struct number hosts, double bound)
{
    const double eps = type == TYPE_S || type == TYPE_C ? 0x1p-24 : 0x1p-53;
    double difference = size_of((struct number){ours.re - hosts.re, ours.im - hosts.im});
    return difference == 0 ? 0 : isfinite(difference) ? difference / (eps * bound) : INFINITY;
}

static double vector_gauge(const struct verify_operands *operands, const struct blas_vector *vector,
                           const struct verify_buffer *buffer)
{
    double worst = 0;
    for (int64_t i = 0; i < vector->length; i++) {
        const int64_t index = vector_index(vector, i);
        enum blas_type type = operands->ours.type;
        worst = fmax(worst, units(type, get(type, buffer->ours, index), get(type, buffer->hosts, index),
                                  vector_bound(operands, i)));
    }
    return worst;
}

double verify_operands_gauge(const struct verify_operands *operands)
{
    const struct blas_call *call = &operands->ours;
    double worst = 0;
    if (call->family == FAMILY_TRMV)
        return vector_gauge(operands, &call->x, &operands->x);
    if (call->family != FAMILY_SYR2K)
        return vector_gauge(operands, &call->y, &operands->y);
    for (int64_t j = 0; j < call->n; j++)
        for (int64_t i = 0; i < call->n; i++)
            if (in_part(&call->c, i, j)) {
                const int64_t index = i + j * call->c.ld;
                worst = fmax(worst, units(call->type, get(call->type, operands->c.ours, index),
                                          get(call->type, operands->c.hosts, index), matrix_bound(operands,
                                                                                                  i, j)));
            }
    return worst;
}

static bool same(const struct verify_buffer *buffer, size_t first, size_t count, size_t element)
{
    return count == 0 || memcmp(buffer->ours + first * element, buffer->before + first * element,
                                count * element) == 0;
}

/* Compare what lies outside the results; `results` marks those, one byte an element. */
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
    const bool is_trmv = call->family == FAMILY_TRMV, is_syr2k = call->family == FAMILY_SYR2K;
    const struct verify_buffer *output = is_syr2k ? &operands->c : is_trmv ? &operands->x : &operands->y;
    char *results = calloc(output->elements, 1);
    bool kept = results && same(&operands->a, 0, operands->a.elements, element) &&
                same(&operands->b, 0, operands->b.elements, element) &&
                (is_trmv || same(&operands->x, 0, operands->x.elements, element));
    for (int64_t j = 0; kept && is_syr2k && j < call->n; j++)
        for (int64_t i = 0; i < call->n; i++)
            results[i + j * call->c.ld] = in_part(&call->c, i, j);
    const struct blas_vector *vector = is_trmv ? &call->x : &call->y;
    for (int64_t i = 0; kept && !is_syr2k && i < vector->length; i++)
        results[vector_index(vector, i)] = 1;
    kept = kept && kept_outside(output, results, element);
    free(results);
    return kept;
}

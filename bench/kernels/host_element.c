#include "host_element.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double complex number;

static number number_at(enum blas_type type, const unsigned char *bytes)
{
    float single[2];
    double parts[2];
    memcpy(single, bytes, type == TYPE_S ? sizeof *single : sizeof single);
    switch (type) {
    case TYPE_S: return single[0];
    case TYPE_C: return single[0] + single[1] * (number)I;
    default: memcpy(parts, bytes, type == TYPE_D ? sizeof *parts : sizeof parts);
    }
    return type == TYPE_D ? parts[0] : parts[0] + parts[1] * (number)I;
}

/* What of A the term (i, j) of op(A) is. */
struct term {
    int64_t row, column;
    bool exists, is_one, is_conjugated, is_real;
};

static struct term term_of(const struct blas_call *call, int64_t i, int64_t j)
{
    const bool transposed = !blas_is_symmetric(call) && call->trans != TRANS_NONE;
    struct term term = {
        transposed ? j : i, transposed ? i : j, true, false, call->trans == TRANS_CONJUGATE, false};
    const bool stored = call->uplo == UPLO_LOWER ? term.row >= term.column : term.row <= term.column;
    if (blas_is_symmetric(call) && !stored) {
        term.row = j, term.column = i;
        term.is_conjugated = call->family == FAMILY_HEMV;
    }
    term.is_real = call->family == FAMILY_HEMV && i == j;
    if (call->family == FAMILY_TRMV) {
        term.exists = stored;
        term.is_one = i == j && call->diag == DIAG_UNIT;
    }
    return term;
}

/* Queue one element's way to the host. */
static enum status fetch(struct lane *lane, enum blas_type type, const void *base, int64_t index,
                         unsigned char *to)
{
    const size_t element = blas_element_bytes(type);
    return device_check(lane->device,
                        driver()->copy_to_host_async(to, (uintptr_t)base + (size_t)index * element, element,
                                                     lane->stream),
                        "copying an element");
}

static number coefficient(const struct blas_call *call, const struct term *term, const unsigned char *bytes)
{
    const number a = number_at(call->type, bytes);
    if (term->is_one)
        return 1;
    if (term->is_real)
        return creall(a);
    return term->is_conjugated ? conjl(a) : a;
}

/* a: the row of op(A), x, and y's element, `terms` of the first two. */
struct row {
    unsigned char *a, *x, *y;
    int64_t terms;
};

static enum status fetch_row(struct lane *lane, const struct blas_call *call, int64_t index,
                             const struct row *row)
{
    const size_t element = blas_element_bytes(call->type);
    enum status status = fetch(lane, call->type, call->y.pointer, index, row->y);
    for (int64_t j = 0; j < row->terms && status == STATUS_OK; j++) {
        const struct term term = term_of(call, index, j);
        status = fetch(lane, call->type, call->x.pointer, j, row->x + (size_t)j * element);
        if (status == STATUS_OK && term.exists)
            status = fetch(lane, call->type, call->a.pointer, term.row + term.column * call->a.ld,
                           row->a + (size_t)j * element);
    }
    return status == STATUS_OK ? lane_synchronise(lane, "copying a row") : status;
}

static long double size_of(number value)
{
    return fabsl(creall(value)) + fabsl(cimagl(value));
}

static number scalar(enum blas_type type, const union blas_scalar *value)
{
    unsigned char bytes[sizeof *value];
    memcpy(bytes, value, sizeof bytes);
    return number_at(type, bytes);
}

/* sum += factor value */
struct sum {
    number value;
    long double magnitude;
    int64_t terms;
};

static void add(struct sum *sum, number factor, number value)
{
    sum->value += factor * value;
    sum->magnitude += size_of(factor) * size_of(value);
    sum->terms++;
}

static struct sum row_sum(const struct blas_call *call, int64_t index, const struct row *row)
{
    const size_t element = blas_element_bytes(call->type);
    struct sum sum = {0};
    for (int64_t j = 0; j < row->terms; j++) {
        const struct term term = term_of(call, index, j);
        if (term.exists)
            add(&sum, coefficient(call, &term, row->a + (size_t)j * element),
                number_at(call->type, row->x + (size_t)j * element));
    }
    return sum;
}

/* alpha sum + beta y */
static void scale(const struct blas_call *call, number y, struct sum *sum)
{
    const number alpha = scalar(call->type, &call->alpha);
    sum->value *= alpha;
    sum->magnitude *= size_of(alpha);
    add(sum, scalar(call->type, &call->beta), y);
}

static enum status add_axpy(struct lane *lane, const struct blas_call *call, int64_t index, struct sum *sum)
{
    unsigned char x[16], y[16];
    enum status status = fetch(lane, call->type, call->x.pointer, index, x);
    if (status == STATUS_OK)
        status = fetch(lane, call->type, call->y.pointer, index, y);
    if (status == STATUS_OK)
        status = lane_synchronise(lane, "copying two elements");
    if (status == STATUS_OK) {
        add(sum, scalar(call->type, &call->alpha), number_at(call->type, x));
        add(sum, 1, number_at(call->type, y));
    }
    return status;
}

static enum status add_row(struct lane *lane, const struct blas_call *call, int64_t index, struct sum *sum)
{
    unsigned char y[16];
    const struct row row = {calloc((size_t)call->x.length, 16), calloc((size_t)call->x.length, 16), y,
                            call->x.length};
    enum status status = row.a && row.x ? fetch_row(lane, call, index, &row) : STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK) {
        *sum = row_sum(call, index, &row);
        if (call->family != FAMILY_TRMV)
            scale(call, number_at(call->type, y), sum);
    }
    free(row.a);
    free(row.x);
    return status;
}

enum status host_element(struct lane *lane, const struct blas_call *call, int64_t index,
                         struct host_element *element)
{
    const int products_each = call->type == TYPE_C || call->type == TYPE_Z ? 2 : 1;
    struct sum sum = {0};
    const enum status status = call->family == FAMILY_AXPY ? add_axpy(lane, call, index, &sum)
                                                           : add_row(lane, call, index, &sum);
    *element = (struct host_element){{creall(sum.value), cimagl(sum.value)}, sum.magnitude,
                                     products_each * sum.terms};
    return status;
}

#include "lapack_singular.h"
#include "lapack/device_matrix.h"

#include <stdio.h>
#include <stdlib.h>

enum { UNITS_MOST = 20 };

static double larger_rest(double most, double rest)
{
    return rest <= most ? most : isnan(rest) ? INFINITY : rest;
}

/* The largest element of op(X) Y - Z, by strips of columns; Z: columns of U times values, or the identity. */
static double rest_of(const struct operands *o, int trans, CUdeviceptr x, int64_t x_rows, CUdeviceptr y,
                      const void *u, const void *s)
{
    const int64_t rows = trans == DEVICE_NO_TRANS ? o->m : o->n, terms = trans == DEVICE_NO_TRANS ? o->n : x_rows;
    const size_t parts = o->element / o->real_bytes, column = (size_t)rows * parts;
    const bool single = o->real == TYPE_S;
    double most = 0;
    for (int64_t first = 0; first < o->n; first += STRIP) {
        const int64_t columns = o->n - first < STRIP ? o->n - first : STRIP;
        if (solver_gemm(&handle, o->type, trans, DEVICE_NO_TRANS, rows, columns, terms, &device_one[o->type],
                        device_pointer(x), x_rows,
                        device_pointer(y + (CUdeviceptr)(first * terms) * o->element), terms,
                        &device_zero[o->type], device_pointer(o->strip), rows) != CUBLAS_STATUS_SUCCESS)
            fail("cuBLAS' gemm failed");
        void *const strip = fetch(o->strip, column * (size_t)columns * o->real_bytes);
        for (size_t i = 0; i < column * (size_t)columns; i++) {
            const size_t of = (size_t)first + i / column, row = i % column;
            const double expected = u ? get(single, u, of * column + row) * get(single, s, of)
                                      : row == of * parts;
            most = larger_rest(most, fabs(get(single, strip, i) - expected));
        }
        free(strip);
    }
    return most;
}

/* B V - U S. */
static double bidiagonal_rest(const struct operands *o, const void *u, const void *s)
{
    const bool single = o->real == TYPE_S;
    const size_t n = (size_t)o->n;
    void *const b = fetch(o->given, 2 * n * o->real_bytes), *const v = fetch(o->v, n * n * o->real_bytes);
    double most = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            const double next = i + 1 < n ? get(single, b, n + i) * get(single, v, i + 1 + j * n) : 0;
            const double here = get(single, b, i) * get(single, v, i + j * n) + next;
            most = larger_rest(most, fabs(here - get(single, s, j) * get(single, u, i + j * n)));
        }
    free(b), free(v);
    return most;
}

static double apart(const struct operands *o, const void *s, const void *other)
{
    double most = 0;
    for (size_t i = 0; i < (size_t)o->n; i++)
        most = larger_rest(most, fabs(get(o->real == TYPE_S, s, i) - get(o->real == TYPE_S, other, i)));
    return most;
}

bool errors_print(const struct operands *o, const void *s, const void *other)
{
    const double unit = (o->real == TYPE_S ? 0x1p-23 : 0x1p-52) * (double)o->n,
                 largest = get(o->real == TYPE_S, s, 0);
    double errors[4] = {0};
    if (has_vectors(o)) {
        void *const u = fetch(o->u, (size_t)(o->m * o->n) * o->element);
        errors[0] = (is_bidiagonal(o) ? bidiagonal_rest(o, u, s)
                                      : rest_of(o, DEVICE_NO_TRANS, o->given, o->m, o->v, u, s)) / largest;
        errors[1] = rest_of(o, device_adjoint(o->type), o->u, o->m, o->u, NULL, NULL);
        errors[2] = rest_of(o, device_adjoint(o->type), o->v, o->n, o->v, NULL, NULL);
        free(u);
    }
    errors[3] = other ? apart(o, s, other) / largest : 0;
    bool good = true;
    for (int i = 0; i < 4; i++) {
        if (i < 3 ? has_vectors(o) : other != NULL)
            printf(" %8.4f", errors[i] / unit);
        else
            printf("        -");
        good = good && errors[i] <= UNITS_MOST * unit;
    }
    return good;
}

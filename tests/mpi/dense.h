/* dense.h - whole matrices in double precision, real and imaginary parts apart, and the few operations that
 * the tests of parallel routines judge results by: written out, so that no BLAS has a part in it. */
#ifndef MUBLAS_TESTS_DENSE_H
#define MUBLAS_TESTS_DENSE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dense {
    int rows, columns;
    double *re, *im; /* column by column */
};

struct number {
    double re, im;
};

/* All live until dense_free_all. */
static void *dense_memory[256];
static int dense_count;

static void *dense_keep(void *memory)
{
    if (!memory || dense_count == (int)(sizeof dense_memory / sizeof *dense_memory))
        abort();
    return dense_memory[dense_count++] = memory;
}

static void dense_free_all(void)
{
    while (dense_count > 0)
        free(dense_memory[--dense_count]);
}

static struct dense dense_new(int rows, int columns)
{
    const size_t count = (size_t)rows * (size_t)columns;
    double *const memory = dense_keep(calloc(2 * count + 1, sizeof(double)));
    return (struct dense){rows, columns, memory, memory + count};
}

static size_t dense_at(const struct dense *a, int i, int j)
{
    return (size_t)j * (size_t)a->rows + (size_t)i;
}

/* op: N, T or C. */
static struct dense dense_op(struct dense a, char op)
{
    if (op == 'N')
        return a;
    const struct dense of = dense_new(a.columns, a.rows);
    for (int j = 0; j < a.columns; j++)
        for (int i = 0; i < a.rows; i++) {
            of.re[dense_at(&of, j, i)] = a.re[dense_at(&a, i, j)];
            of.im[dense_at(&of, j, i)] = (op == 'C' ? -1 : 1) * a.im[dense_at(&a, i, j)];
        }
    return of;
}

static bool dense_is_real(struct dense a)
{
    const size_t count = (size_t)a.rows * (size_t)a.columns;
    size_t i = 0;
    while (i < count && a.im[i] == 0)
        i++;
    return i == count;
}

__attribute__((optimize("O2"))) static void add_column(double *restrict to, const double *restrict from,
                                                       double factor, int count)
{
    for (int i = 0; i < count; i++)
        to[i] += factor * from[i];
}

static struct dense dense_product(struct dense a, struct dense b)
{
    const struct dense c = dense_new(a.rows, b.columns);
    const bool is_real = dense_is_real(a) && dense_is_real(b);
    for (int j = 0; j < b.columns; j++)
        for (int k = 0; k < a.columns; k++) {
            const size_t of_b = dense_at(&b, k, j), of_a = dense_at(&a, 0, k), of_c = dense_at(&c, 0, j);
            add_column(c.re + of_c, a.re + of_a, b.re[of_b], a.rows);
            if (is_real)
                continue;
            add_column(c.re + of_c, a.im + of_a, -b.im[of_b], a.rows);
            add_column(c.im + of_c, a.re + of_a, b.im[of_b], a.rows);
            add_column(c.im + of_c, a.im + of_a, b.re[of_b], a.rows);
        }
    return c;
}

/* alpha a + beta b; where beta is 0 b is not looked at. */
static struct dense dense_sum(struct number alpha, struct dense a, struct number beta, struct dense b)
{
    const struct dense c = dense_new(a.rows, a.columns);
    const bool has_b = beta.re != 0 || beta.im != 0;
    for (size_t i = 0; i < (size_t)a.rows * (size_t)a.columns; i++) {
        c.re[i] =
            alpha.re * a.re[i] - alpha.im * a.im[i] + (has_b ? beta.re * b.re[i] - beta.im * b.im[i] : 0);
        c.im[i] =
            alpha.re * a.im[i] + alpha.im * a.re[i] + (has_b ? beta.re * b.im[i] + beta.im * b.re[i] : 0);
    }
    return c;
}

static struct dense dense_difference(struct dense a, struct dense b)
{
    return dense_sum((struct number){1, 0}, a, (struct number){-1, 0}, b);
}

static bool dense_is_in(char part, int i, int j)
{
    return part == 'L' ? i >= j : part == 'U' ? i <= j : true;
}

/* The largest element of a part (L, U or F); NaN: infinity. */
static double dense_largest(struct dense a, char part)
{
    double most = 0;
    for (int j = 0; j < a.columns; j++)
        for (int i = 0; i < a.rows; i++) {
            const double size =
                dense_is_in(part, i, j) ? hypot(a.re[dense_at(&a, i, j)], a.im[dense_at(&a, i, j)]) : 0;
            most = size <= most ? most : isnan(size) ? INFINITY : size;
        }
    return most;
}

/* The triangle alone, with a diagonal of ones where it is unit. */
static struct dense dense_triangle(struct dense a, char uplo, bool is_unit)
{
    const struct dense t = dense_new(a.rows, a.columns);
    for (int j = 0; j < a.columns; j++)
        for (int i = 0; i < a.rows; i++)
            if (dense_is_in(uplo, i, j)) {
                t.re[dense_at(&t, i, j)] = i == j && is_unit ? 1 : a.re[dense_at(&a, i, j)];
                t.im[dense_at(&t, i, j)] = i == j && is_unit ? 0 : a.im[dense_at(&a, i, j)];
            }
    return t;
}

/* The whole of a symmetric or Hermitian matrix of which one triangle is there. */
static struct dense dense_mirrored(struct dense a, char uplo, bool is_hermitian)
{
    const struct dense whole = dense_triangle(a, uplo, false);
    for (int j = 0; j < a.columns; j++)
        for (int i = 0; i < a.rows; i++)
            if (i != j && dense_is_in(uplo, i, j)) {
                whole.re[dense_at(&whole, j, i)] = whole.re[dense_at(&whole, i, j)];
                whole.im[dense_at(&whole, j, i)] = (is_hermitian ? -1 : 1) * whole.im[dense_at(&whole, i, j)];
            }
    return whole;
}

static struct dense dense_identity(int n)
{
    const struct dense one = dense_new(n, n);
    for (int i = 0; i < n; i++)
        one.re[dense_at(&one, i, i)] = 1;
    return one;
}

/* Each column by its number. */
static struct dense dense_scaled(struct dense a, const double *by)
{
    const struct dense c = dense_new(a.rows, a.columns);
    for (int j = 0; j < a.columns; j++) {
        add_column(c.re + dense_at(&c, 0, j), a.re + dense_at(&a, 0, j), by[j], a.rows);
        add_column(c.im + dense_at(&c, 0, j), a.im + dense_at(&a, 0, j), by[j], a.rows);
    }
    return c;
}

/* The inverse of a lower triangle with a real diagonal without zeros, column by column. */
static struct dense dense_lower_inverse(struct dense l)
{
    const int n = l.rows;
    const struct dense x = dense_identity(n);
    for (int j = 0; j < n; j++)
        for (int k = j; k < n; k++) {
            const size_t at = dense_at(&x, k, j), below = dense_at(&x, k + 1, j),
                         of_l = dense_at(&l, k + 1, k);
            const double re = x.re[at] /= l.re[dense_at(&l, k, k)], im = x.im[at] /= l.re[dense_at(&l, k, k)];
            add_column(x.re + below, l.re + of_l, -re, n - k - 1);
            add_column(x.re + below, l.im + of_l, im, n - k - 1);
            add_column(x.im + below, l.re + of_l, -im, n - k - 1);
            add_column(x.im + below, l.im + of_l, -re, n - k - 1);
        }
    return x;
}

/* a becomes H a H by the reflector H = 1 - 2 v v' / v'v; a is Hermitian. */
static struct dense dense_reflected(struct dense a, struct dense v)
{
    double square = 0;
    for (int i = 0; i < v.rows; i++)
        square += v.re[i] * v.re[i] + v.im[i] * v.im[i];
    const struct number one = {1, 0}, factor = {-2 / square, 0};
    const struct dense h = dense_op(v, 'C');
    const struct dense left = dense_sum(one, a, factor, dense_product(v, dense_product(h, a)));
    return dense_sum(one, left, factor, dense_product(dense_product(left, v), h));
}

#endif

/* parallel_judge.h - is what a parallel routine gave right? The grid's first process judges: it has all.
 */
#ifndef MUBLAS_TESTS_PARALLEL_JUDGE_H
#define MUBLAS_TESTS_PARALLEL_JUDGE_H

#include "mpi/parallel_draw.h"

#include <float.h>
#include <stdarg.h>

/* The first thing that is wrong; empty: nothing is. */
static char verdict[256];

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
    va_list arguments;
    if (verdict[0])
        return;
    va_start(arguments, format);
    vsnprintf(verdict, sizeof verdict, format, arguments);
    va_end(arguments);
}

static double rounding(const struct problem *problem)
{
    return problem->is_single ? (double)FLT_EPSILON : DBL_EPSILON;
}

/* An error in units of order and rounding. */
static void judge(const struct problem *problem, const char *what, double error, double size, int order)
{
    const double unit = rounding(problem) * (order + 3) * (size > 0 ? size : 1);
    if (!(error <= 20 * unit))
        complain("%s is wrong by %.3g units", what, error / unit);
}

static struct dense before(struct problem *problem, char letter)
{
    const struct window *const window = problem_window(problem, letter);
    return window_read(window, window->in->image);
}

static struct dense after(struct problem *problem, char letter)
{
    const struct window *const window = problem_window(problem, letter);
    return window_read(window, window->in->after);
}

static bool is_unit(const struct problem *problem)
{
    return problem_has(problem, "DIAG") && problem->diag == 'U';
}

/* The other factor of a product with A, on the side where A stands. */
static struct dense with_a(const struct problem *problem, struct dense a, struct dense b)
{
    return problem->side == 'L' ? dense_product(a, b) : dense_product(b, a);
}

static struct dense product_of(struct problem *problem)
{
    const int family = problem->as->family;
    const struct dense a = before(problem, 'A');
    struct dense x;
    switch (family) {
    case FAMILY_GEMM:
        return dense_product(dense_op(a, problem->trans), dense_op(before(problem, 'B'), problem->transb));
    case FAMILY_SYMM:
    case FAMILY_HEMM:
        return with_a(problem, dense_mirrored(a, problem->uplo, family == FAMILY_HEMM), before(problem, 'B'));
    case FAMILY_SYRK:
    case FAMILY_HERK:
        x = dense_op(a, problem->trans == 'N' ? 'N' : family == FAMILY_HERK ? 'C' : 'T');
        return dense_product(x, dense_op(x, family == FAMILY_HERK ? 'C' : 'T'));
    default: /* trmm's result, trsm's right-hand sides */
        x = family == FAMILY_TRMM ? before(problem, 'B') : after(problem, 'B');
        return with_a(problem, dense_op(dense_triangle(a, problem->uplo, is_unit(problem)), problem->trans),
                      x);
    }
}

static void judge_product(struct problem *problem)
{
    const int family = problem->as->family;
    const struct number none = {0, 0}, minus = {-1, 0};
    const struct dense product = product_of(problem);
    const bool has_c = strchr(problem->letters, 'C');
    const int order = family == FAMILY_GEMM || family == FAMILY_SYRK || family == FAMILY_HERK ? problem->k
                    : problem->side == 'L'                                                    ? problem->m
                                                                                              : problem->n;
    const char part = family == FAMILY_SYRK || family == FAMILY_HERK ? problem->uplo : 'F';
    struct dense difference;
    if (family == FAMILY_TRSM) {
        difference = dense_sum(minus, product, problem->alpha, before(problem, 'B'));
    } else {
        const bool has_beta = has_c && (problem->beta.re != 0 || problem->beta.im != 0);
        const struct dense wanted = dense_sum(problem->alpha, product, has_beta ? problem->beta : none,
                                              has_beta ? before(problem, 'C') : product);
        difference = dense_difference(after(problem, has_c ? 'C' : 'B'), wanted);
    }
    judge(problem, "the product", dense_largest(difference, part), 2, order);
}

static struct dense known_factor(struct problem *problem, char letter)
{
    return dense_triangle(before(problem, letter), problem->uplo, is_unit(problem));
}

static struct dense squared(const struct problem *problem, struct dense factor)
{
    return problem->uplo == 'L' ? dense_product(factor, dense_op(factor, 'C'))
                                : dense_product(dense_op(factor, 'C'), factor);
}

static void swap_rows(struct dense a, int one, int other)
{
    for (int j = 0; j < a.columns; j++) {
        const size_t i = dense_at(&a, one, j), k = dense_at(&a, other, j);
        const double re = a.re[i], im = a.im[i];
        a.re[i] = a.re[k];
        a.im[i] = a.im[k];
        a.re[k] = re;
        a.im[k] = im;
    }
}

/* L U with its rows where they were before the swaps; L has m rows, U n columns. */
static struct dense pivoted_product(struct dense lu, const int *pivots)
{
    const int least = lu.rows < lu.columns ? lu.rows : lu.columns;
    const struct dense l = dense_new(lu.rows, least), u = dense_new(least, lu.columns);
    for (int j = 0; j < lu.columns; j++)
        for (int i = 0; i < lu.rows; i++) {
            const bool is_lower = i > j;
            if (is_lower ? j >= least : i >= least)
                continue;
            const struct dense *const to = is_lower ? &l : &u;
            to->re[dense_at(to, i, j)] = lu.re[dense_at(&lu, i, j)];
            to->im[dense_at(to, i, j)] = lu.im[dense_at(&lu, i, j)];
        }
    for (int i = 0; i < least; i++)
        l.re[dense_at(&l, i, i)] = 1;
    const struct dense product = dense_product(l, u);
    for (int i = least - 1; i >= 0; i--) {
        if (pivots[i] < i + 1 || pivots[i] > lu.rows)
            complain("pivot %d is %d", i + 1, pivots[i]);
        else
            swap_rows(product, i, pivots[i] - 1);
    }
    return product;
}

static void judge_factor(struct problem *problem, const int *pivots)
{
    const int n = problem->n;
    const struct dense one = dense_identity(n);
    struct dense error, a = before(problem, 'A');
    char part = problem->uplo;
    switch (problem->as->family) {
    case LAPACK_POTRF:
        error = dense_difference(squared(problem, dense_triangle(after(problem, 'A'), problem->uplo, false)),
                                 dense_mirrored(a, problem->uplo, true));
        break;
    case LAPACK_TRTRI:
        error = dense_difference(
            dense_product(dense_triangle(after(problem, 'A'), problem->uplo, is_unit(problem)),
                          known_factor(problem, 'A')),
            one);
        break;
    case LAPACK_POTRI:
        error = dense_difference(dense_product(dense_mirrored(after(problem, 'A'), problem->uplo, true),
                                               squared(problem, known_factor(problem, 'A'))),
                                 one);
        part = 'F';
        break;
    case LAPACK_POTRS:
        error =
            dense_difference(dense_product(squared(problem, known_factor(problem, 'A')), after(problem, 'B')),
                             before(problem, 'B'));
        part = 'F';
        break;
    case LAPACK_GETRF:
        error = dense_difference(pivoted_product(after(problem, 'A'), pivots), a);
        part = 'F';
        break;
    default:
        error = dense_difference(
            dense_product(dense_op(pivoted_product(a, pivots), problem->trans), after(problem, 'B')),
            before(problem, 'B'));
        part = 'F';
        break;
    }
    judge(problem, "the factor or solution", dense_largest(error, part), 4, problem->m > n ? problem->m : n);
}

/* Back from what it was reduced to. */
static void judge_reduction(struct problem *problem)
{
    const struct dense c = dense_mirrored(after(problem, 'A'), problem->uplo, true);
    const struct dense a = dense_mirrored(before(problem, 'A'), problem->uplo, true);
    struct dense l = known_factor(problem, 'B');
    if (problem->uplo == 'U')
        l = dense_op(l, 'C');
    const struct dense h = dense_op(l, 'C');
    struct dense error;
    if (problem->itype == 1)
        error = dense_difference(dense_product(dense_product(l, c), h), a);
    else
        error = dense_difference(c, dense_product(dense_product(h, a), l));
    judge(problem, "the reduced matrix", dense_largest(error, 'F'), 8, problem->n);
}

/* The first and the number of the eigenvalues that the range wants. */
static int wanted_values(const struct problem *problem, int *first)
{
    int count = 0;
    *first = problem->range == 'I' ? problem->il - 1 : 0;
    if (problem->range == 'I')
        return problem->iu - problem->il + 1;
    for (int i = 0; i < problem->n; i++) {
        const double value = problem->eigenvalues[i];
        if (problem->range == 'V' && value <= problem->vl)
            *first = i + 1;
        else
            count += problem->range != 'V' || value <= problem->vu;
    }
    return count;
}

static void judge_vectors(struct problem *problem, const struct answer *answer)
{
    struct window of = *problem_window(problem, 'Z');
    of.columns = answer->found;
    const struct dense z = window_read(&of, of.in->after), h = dense_op(z, 'C');
    const struct dense az = dense_product(dense_mirrored(before(problem, 'A'), problem->uplo, true), z);
    const struct dense zw = dense_scaled(z, answer->values);
    struct dense error, metric = z;
    if (!strchr(problem->letters, 'B')) {
        error = dense_difference(az, zw);
    } else {
        metric = dense_product(problem->itype == 3 ? problem->b_inverse : problem->b, z);
        error = problem->itype == 1 ? dense_difference(az, dense_product(problem->b, zw))
              : problem->itype == 3
                  ? dense_difference(dense_product(problem->b, az), zw)
                  : dense_difference(
                        dense_product(dense_mirrored(before(problem, 'A'), problem->uplo, true), metric), zw);
    }
    judge(problem, "A Z - Z W", dense_largest(error, 'F'), 4, problem->n);
    error = dense_difference(dense_product(h, metric), dense_identity(answer->found));
    judge(problem, "Z' Z - 1", dense_largest(error, 'F'), 2, problem->n);
}

static void judge_eigen(struct problem *problem, const struct answer *answer)
{
    int first;
    const int count = wanted_values(problem, &first);
    double most = 0;
    if (problem_has(problem, "RANGE") && answer->found != count)
        complain("M is %d, not %d", answer->found, count);
    if (problem_has(problem, "RANGE") && problem->jobz == 'V' && answer->nz != count)
        complain("NZ is %d, not %d", answer->nz, count);
    for (int i = 0; i < count && !verdict[0]; i++) {
        const double error = fabs(answer->values[i] - problem->eigenvalues[first + i]);
        most = error <= most ? most : isnan(error) ? INFINITY : error;
    }
    judge(problem, "an eigenvalue", most, 4, problem->n);
    if (problem->jobz == 'V' && !verdict[0])
        judge_vectors(problem, answer);
    if (!strchr(problem->letters, 'B') || verdict[0])
        return;
    const struct dense factor = dense_triangle(after(problem, 'B'), problem->uplo, false);
    judge(problem, "B's factor",
          dense_largest(dense_difference(squared(problem, factor),
                                         dense_mirrored(before(problem, 'B'), problem->uplo, true)),
                        'F'),
          4, problem->n);
}

static void judge_all(struct problem *problem, const struct answer *answer)
{
    switch (problem->as->kind) {
    case KIND_EIGEN: judge_eigen(problem, answer); break;
    case KIND_FACTOR: judge_factor(problem, answer->pivots); break;
    case KIND_REDUCTION:
        judge_reduction(problem);
        if (answer->scale != 1)
            complain("SCALE is %g", answer->scale);
        break;
    default: judge_product(problem); break;
    }
}

#endif

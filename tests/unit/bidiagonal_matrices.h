/* bidiagonal_matrices.h - bidiagonal matrices that are hard for a solver, on the host and on the device, and the host
 * LAPACK's singular values. */
#ifndef MUBLAS_TESTS_BIDIAGONAL_MATRICES_H
#define MUBLAS_TESTS_BIDIAGONAL_MATRICES_H

#include "lapack/singular/own_singular.h"
#include "two_diagonals.h"

void dbdsqr_(const char *uplo, const int *n, const int *ncvt, const int *nru, const int *ncc, double *d,
             double *e, double *vt, const int *ldvt, double *u, const int *ldu, double *c, const int *ldc,
             double *work, int *info, size_t uplo_length);

static const double BOUND = 8; /* in units of n eps */

/* A matrix, in double precision whatever the type, and what came out. */
struct problem {
    enum blas_type type;
    int n;
    double d[ORDER_MOST], e[ORDER_MOST], s[ORDER_MOST];
    double *u, *v; /* n x vectors; NULL: not asked for */
    int first, vectors;
    int info;
    bool kept; /* rows between columns */
};

static inline void make_glued(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = fabs(i % 21 - 10.0) + 0.1, e[i] = i % 21 == 20 ? 1e-11 : 1;
}
/* Zeros on the diagonal, at ends and at merges, too. */
static inline void make_singular(int n, double *d, double *e)
{
    make_random(n, d, e);
    for (int i = 0; i < n; i++) {
        d[i] = i % 5 == 4 || i == n - 1 || i % 16 == 15 || i == 0 ? 0 : d[i];
        e[i] = i % 11 == 3 ? 0 : e[i];
    }
}
/* The rank is half the order. */
static inline void make_deficient(int n, double *d, double *e)
{
    make_random(n, d, e);
    for (int i = 0; i < n; i++) {
        d[i] = i % 2 ? 0 : d[i];
        e[i] = i % 4 == 1 ? 0 : e[i];
    }
}
static inline void make_equal(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = e[i] = 1;
}
static inline void make_nilpotent(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = 0, e[i] = 1 + i % 2;
}
/* Kahan's: the least value is tiny beside all elements. */
static inline void make_nearly_singular(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = 0.5, e[i] = 1;
}
/* From 1 to 1e-300 or 1e-36. */
static inline void make_far_graded(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = pow(10, -300.0 * i / n), e[i] = 0.5 * pow(10, -300.0 * (i + 0.5) / n);
}

static const struct kind kinds[] = {
    {"random", make_random}, {"Wilkinson", make_wilkinson}, {"glued", make_glued},
    {"graded down", make_graded_down}, {"graded up", make_graded_up}, {"clusters", make_clusters},
    {"torn", make_torn}, {"zeros on the diagonal", make_singular}, {"half the rank", make_deficient},
    {"constant", make_constant}, {"all equal", make_equal}, {"nilpotent", make_nilpotent},
    {"nearly singular", make_nearly_singular}, {"zero", make_zero}, {"graded to 1e-300", make_far_graded}
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static inline void make(struct problem *problem, enum blas_type type, const struct kind *kind, int n, double scale)
{
    const size_t elements = (size_t)n * (size_t)n + 1;
    *problem = (struct problem){.type = type, .n = n, .vectors = n, .u = calloc(elements, sizeof(double)),
                                .v = calloc(elements, sizeof(double))};
    fill(type, kind, n, scale, problem->d, problem->e);
}

static inline void release(struct problem *problem)
{
    free(problem->u);
    free(problem->v);
}

static inline double norm_of(const struct problem *problem)
{
    return largest_of(problem->n, problem->d, problem->e);
}

/* LAPACK's, in double precision, of the scaled matrix, scaled back. */
static inline void solve_on_host(const struct problem *problem, double *s)
{
    static double e[ORDER_MOST], work[4 * ORDER_MOST];
    const int n = problem->n, none = 0, one = 1;
    const double scale = norm_of(problem) > 0 ? ldexp(1, -ilogb(norm_of(problem))) : 1;
    double unused;
    int info = 0;
    for (int i = 0; i < n; i++)
        s[i] = problem->d[i] * scale, e[i] = problem->e[i] * scale;
    dbdsqr_("U", &n, &none, &none, &none, s, e, &unused, &one, &unused, &one, &unused, &one, work, &info, 1);
    if (info != 0)
        exit(1);
    for (int i = 0; i < n; i++)
        s[i] /= scale;
}

static inline bool is_descending(const struct problem *problem)
{
    for (int i = 0; i < problem->n; i++)
        if (!((i == 0 || problem->s[i - 1] >= problem->s[i]) && problem->s[i] >= 0))
            return false;
    return true;
}


#endif

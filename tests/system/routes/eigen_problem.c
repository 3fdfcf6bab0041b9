#include "eigen_problem.h"

#include "host_lapack.h"
#include "lapack_call.h"

#include <stdlib.h>
#include <string.h>

static void set_both(struct eigen_problem *problem, double *matrix, int i, int j, double real,
                     double imaginary)
{
    const int64_t at = i + (int64_t)j * problem->n, mirrored = j + (int64_t)i * problem->n;
    set_part(problem->type, matrix, at, 0, real);
    set_part(problem->type, matrix, mirrored, 0, real);
    if (is_complex(problem->type)) {
        set_part(problem->type, matrix, at, 1, i == j ? 0 : imaginary);
        set_part(problem->type, matrix, mirrored, 1, i == j ? 0 : -imaginary);
    }
}

/* (I - 2 v v') D (I - 2 v v') with unit v. */
static void make_clustered(struct eigen_problem *problem, struct random *random)
{
    const int n = problem->n;
    double *v = calloc((size_t)n * 2 + 1, sizeof *v), *d = v + n, square = 0, middle = 0;
    for (int i = 0; i < n; i++) {
        v[i] = random_value(random);
        d[i] = (double)(random_below(random, 3)) - 0.75;
        square += v[i] * v[i];
    }
    for (int i = 0; i < n; i++) {
        v[i] /= sqrt(square);
        middle += v[i] * v[i] * d[i];
    }
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            set_both(problem, problem->a, i, j,
                     (i == j ? d[i] : 0) - 2 * v[i] * v[j] * (d[i] + d[j]) + 4 * v[i] * v[j] * middle, 0);
    free(v);
}

static void make_a(struct eigen_problem *problem, struct random *random)
{
    const int n = problem->n;
    const double fall = is_single(problem->type) ? 13 : 27;
    if (problem->spectrum == SPECTRUM_CLUSTERED)
        make_clustered(problem, random);
    for (int j = 0; j < n && problem->spectrum != SPECTRUM_CLUSTERED; j++)
        for (int i = j; i < n; i++) {
            double real = random_value(random), imaginary = random_value(random);
            if (problem->spectrum == SPECTRUM_GRADED) {
                const double scale = exp(-fall * (i + j) / (2.0 * n));
                real *= scale, imaginary *= scale;
            } else if (problem->spectrum == SPECTRUM_DIAGONAL) {
                real = i == j ? (double)(random_below(random, (size_t)n)) - n / 3 : 0;
                imaginary = 0;
            } else if (problem->spectrum == SPECTRUM_ZERO) {
                real = imaginary = 0;
            }
            set_both(problem, problem->a, i, j, real, imaginary);
        }
}

/* Makes B, with condition below some 10. */
static void make_b(struct eigen_problem *problem, struct random *random)
{
    const int n = problem->n;
    problem->b = dense_make(problem->type, n, n);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            set_both(problem, problem->b, i, j, (i == j ? 2 : 0) + 0.7 * random_value(random) / n,
                     0.7 * random_value(random) / n);
}

static void perform_host(struct lapack_call *call, const char *name)
{
    char full[16];
    call->routine = lapack_routine(name, call->type);
    lapack_name(call->routine, call->type, full);
    lapack_perform(call, host_function(full));
    if (call->info != 0)
        abort();
}

static void make_factor(struct eigen_problem *problem)
{
    const int n = problem->n;
    problem->factor = dense_copy(problem->type, n, n, problem->b, n);
    struct lapack_call call = {
        .type = problem->type, .uplo = 'L', .n = n, .lda = n > 0 ? n : 1, .a = problem->factor};
    perform_host(&call, "potrf");
}

static void make_values(struct eigen_problem *problem)
{
    const int n = problem->n, least = n > 0 ? n : 1, order = 66 * least;
    const char type = problem->type, real = real_type(type);
    double *a = dense_copy(type, n, n, problem->a, n),
           *b = problem->b ? dense_copy(type, n, n, problem->b, n) : NULL;
    double *w = dense_make(real, least, 1), *work = dense_make(type, order, 1),
           *rwork = dense_make(real, 3 * least, 1);
    struct lapack_call call = {.type = type,
                               .itype = problem->itype,
                               .jobz = 'N',
                               .uplo = 'L',
                               .n = n,
                               .lda = least,
                               .ldb = least,
                               .lwork = order,
                               .a = a,
                               .b = b,
                               .w = w,
                               .work = work,
                               .rwork = rwork};
    perform_host(&call, is_complex(type) ? b ? "hegv" : "heev" : b ? "sygv" : "syev");
    problem->values = calloc((size_t)least, sizeof *problem->values);
    for (int i = 0; i < n; i++)
        problem->values[i] = real_at(type, w, i);
    free(a), free(b), free(w), free(work), free(rwork);
}

void eigen_problem_make(struct eigen_problem *problem, struct random *random)
{
    const int n = problem->n;
    problem->a = dense_make(problem->type, n, n);
    problem->b = problem->factor = NULL;
    make_a(problem, random);
    if (problem->itype) {
        make_b(problem, random);
        make_factor(problem);
    }
    make_values(problem);
    problem->norm_a = dense_norm(problem->type, n, n, problem->a);
    problem->norm_b = problem->b ? dense_norm(problem->type, n, n, problem->b) : 1;
}

void eigen_problem_free(struct eigen_problem *problem)
{
    free(problem->a), free(problem->b), free(problem->factor), free(problem->values);
}

/* B and its inverse have norms below some 3. */
double eigen_problem_tolerance(const struct eigen_problem *problem)
{
    return 10 * (problem->n + 3) * unit_roundoff(problem->type) * problem->norm_a * (problem->b ? 3 : 1);
}

double eigen_problem_border(const struct eigen_problem *problem, int k, int *below)
{
    const double apart = 4 * eigen_problem_tolerance(problem), far = 10 * problem->norm_a + 1;
    while (k > 0 && k < problem->n && !(problem->values[k] - problem->values[k - 1] > apart))
        k++;
    *below = k;
    if (k <= 0)
        return -far;
    return k >= problem->n ? far : (problem->values[k] + problem->values[k - 1]) / 2;
}

/* c = m x, n x columns, of the caller. */
static double *product(const struct eigen_problem *problem, const double *matrix, const double *x,
                       int columns)
{
    const int n = problem->n;
    double *c = dense_make(problem->type, n, columns);
    dense_multiply(problem->type, 'N', 'N', n, columns, n, 1, matrix, n, x, n, 0, c, n);
    return c;
}

double eigen_problem_residual(const struct eigen_problem *problem, const double *vectors,
                              const double *values, int columns)
{
    const char type = problem->type;
    const int n = problem->n;
    const double *const outer = problem->itype == 3 ? problem->b : problem->a;
    const double *const inner = problem->itype == 3 ? problem->a : problem->itype == 2 ? problem->b : NULL;
    double *const applied = inner ? product(problem, inner, vectors, columns) : NULL;
    double *const left = product(problem, outer, applied ? applied : vectors, columns);
    double *const right = problem->itype == 1 ? product(problem, problem->b, vectors, columns)
                                              : dense_copy(type, n, columns, vectors, n);
    dense_scale_columns(type, n, columns, right, values);
    for (int64_t i = 0; i < (int64_t)n * columns; i++) {
        const number difference = get(type, left, i) - get(type, right, i);
        set_part(type, left, i, 0, (double)creall(difference));
        if (is_complex(type))
            set_part(type, left, i, 1, (double)cimagl(difference));
    }
    const double norm = dense_norm(type, n, columns, left), length = dense_norm(type, n, columns, vectors);
    const double size = problem->norm_a * problem->norm_b * (problem->itype ? length > 1 ? length : 1 : 1);
    free(applied), free(left), free(right);
    return norm == 0 ? 0 : norm / (size * n * unit_roundoff(type));
}

/* z^H B z = I; for itype 3 z^H B^-1 z = I, so L^-1 z is orthonormal, as L^H z is otherwise. */
double eigen_problem_departure(const struct eigen_problem *problem, const double *vectors, int columns)
{
    const char type = problem->type;
    const int n = problem->n;
    double *x = dense_copy(type, n, columns, vectors, n), departure;
    if (problem->itype == 3) {
        dense_solve_lower(type, 'N', n, columns, problem->factor, x);
    } else if (problem->itype) {
        double *lower = dense_copy(type, n, n, problem->factor, n);
        for (int j = 1; j < n; j++)
            memset((char *)lower + (size_t)j * (size_t)n * element_bytes(type), 0,
                   (size_t)j * element_bytes(type));
        free(x);
        x = dense_make(type, n, columns);
        dense_multiply(type, 'C', 'N', n, columns, n, 1, lower, n, vectors, n, 0, x, n);
        free(lower);
    }
    departure = dense_orthogonality(type, n, columns, x);
    free(x);
    return departure;
}

/* Eigenproblems by the native API whose elements LAPACK would scale, are all zero, or are not finite. */
#include "eigen_operands.h"
#include "real_matrices.h"

enum { N = 35 };

/* The matrix times 2^exponent, and what is computed of it by 2^-exponent. */
static void scale(struct problem *problem, int exponent)
{
    for (int i = 0; i < problem->n * problem->n; i++)
        problem->given[i] *= ldexp(1, exponent);
    operand_put(&problem->a, problem->given, (char)problem->uplo);
    for (int i = 0; i < problem->n * problem->n; i++)
        problem->given[i] *= ldexp(1, -exponent);
}

static void test_syevd_scaled(enum blas_type type, int exponent)
{
    struct problem problem = problem_make(type, MUBLAS_LOWER, N, random_kind);
    bool kept = true;
    scale(&problem, exponent);
    const bool good = solve(&problem, MUBLAS_VECTORS) == MUBLAS_SUCCESS && int_of(problem.info) == 0;
    double *const w = real_values(&problem.w, &kept);
    double complex *const v = operand_get(&problem.a, 'A', &kept);
    for (int i = 0; i < N; i++)
        w[i] = ldexp(w[i], -exponent);
    tap_ok(good && kept && is_ascending(w, N) && are_eigenvectors(&problem, v, w, N),
           "syevd of a %c matrix times 2^%d", "sdcz"[type], exponent);
    free(w);
    free(v);
    problem_free(&problem);
}

struct form {
    double complex *a;
    double *d, *e;
    double complex *tau;
    bool good;
};

static struct form reduce(struct problem *problem)
{
    struct operand_on_device d = operand_make(real_of(problem->type), N, 1),
                             e = operand_make(real_of(problem->type), N - 1, 1),
                             tau = operand_make(problem->type, N - 1, 1);
    struct form form = {.good = true};
    size_t bytes;
    need(mublas_sytrd_workspace(handle, letter_of(problem->type), problem->uplo, N, problem->a.ld, &bytes));
    void *const workspace = filled(bytes);
    need(BY_TYPE(problem->type, sytrd, hetrd, problem->uplo, N, problem->a.device, problem->a.ld, d.device,
                 e.device, tau.device, workspace, bytes));
    form.a = operand_get(&problem->a, (char)problem->uplo, &form.good);
    form.d = real_values(&d, &form.good), form.e = real_values(&e, &form.good);
    form.tau = operand_get(&tau, 'A', &form.good);
    need(mublas_device_free(handle, workspace));
    operand_free(&d), operand_free(&e), operand_free(&tau);
    return form;
}

static void form_free(struct form *form)
{
    free(form->a), free(form->d), free(form->e), free(form->tau);
}

/* A power of two changes D, E and what A has of them by that power, within rounding, and reflectors not at
 * all. */
static void test_sytrd_scaled(enum blas_type type, enum mublas_uplo uplo, int exponent)
{
    struct problem plain = problem_make(type, uplo, N, random_kind),
                   scaled = problem_make(type, uplo, N, random_kind);
    const double bound = 1e3 * epsilon_of(type);
    double off = 0;
    scale(&scaled, exponent);
    struct form one = reduce(&plain), other = reduce(&scaled);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            const bool is_of_t = i - j == 0 || i - j == (uplo == MUBLAS_UPPER ? -1 : 1);
            off =
                fmax(off, cabs(other.a[i + j * N] * (is_of_t ? ldexp(1, -exponent) : 1) - one.a[i + j * N]));
        }
    for (int i = 0; i < N; i++)
        off = fmax(off, fabs(ldexp(other.d[i], -exponent) - one.d[i]));
    for (int i = 0; i < N - 1; i++)
        off = fmax(off, fmax(fabs(ldexp(other.e[i], -exponent) - one.e[i]), cabs(other.tau[i] - one.tau[i])));
    tap_ok(one.good && other.good && off <= bound, "sytrd, %c, %c, of a matrix times 2^%d: off by %.2g",
           "sdcz"[type], uplo, exponent, off);
    form_free(&one), form_free(&other);
    problem_free(&plain), problem_free(&scaled);
}

/* One element of the triangle is not finite, or the whole matrix is zero. */
static void test_not_finite(enum blas_type type, double value, enum mublas_vectors vectors)
{
    struct problem problem = problem_make(type, MUBLAS_UPPER, N, random_kind);
    bool kept = true, good = true;
    problem.given[4 + 20 * N] = value;
    operand_put(&problem.a, problem.given, 'U');
    good = solve(&problem, vectors) == MUBLAS_SUCCESS && int_of(problem.info) == -1;
    double *const w = real_values(&problem.w, &kept);
    for (int i = 0; i < N; i++)
        good = good && isnan(w[i]);
    operand_put(&problem.a, problem.given, 'U');
    struct form form = reduce(&problem);
    for (int i = 0; i < N; i++)
        good = good && isnan(form.d[i]) && (i + 1 == N || isnan(form.e[i]));
    tap_ok(good && kept && form.good, "%g in a %c matrix, vectors %c: INFO is -1, values and T are NaN",
           value, "sdcz"[type], vectors);
    form_free(&form);
    free(w);
    problem_free(&problem);
}

static void test_other_triangle(enum blas_type type)
{
    struct problem problem = problem_make(type, MUBLAS_UPPER, N, random_kind);
    double complex *const mixed = hermitian_matrix(random_kind, type, N);
    bool kept = true;
    for (int j = 0; j < N; j++)
        for (int i = j + 1; i < N; i++)
            mixed[i + j * N] = NAN;
    operand_put(&problem.a, mixed, 'A');
    const bool good = solve(&problem, MUBLAS_VECTORS) == MUBLAS_SUCCESS && int_of(problem.info) == 0;
    double *const w = real_values(&problem.w, &kept);
    double complex *const v = operand_get(&problem.a, 'A', &kept);
    tap_ok(good && kept && are_eigenvectors(&problem, v, w, N),
           "NaN in the other triangle of a %c matrix does not matter", "sdcz"[type]);
    free(mixed), free(w), free(v);
    problem_free(&problem);
}

static void test_kind_of(enum blas_type type, const struct matrix_kind *kind)
{
    struct problem problem = problem_make(type, MUBLAS_LOWER, N, kind);
    bool kept = true;
    const bool good = solve(&problem, MUBLAS_VECTORS) == MUBLAS_SUCCESS && int_of(problem.info) == 0;
    double *const w = real_values(&problem.w, &kept);
    double complex *const v = operand_get(&problem.a, 'A', &kept);
    tap_ok(good && kept && is_ascending(w, N) && are_eigenvectors(&problem, v, w, N),
           "syevd of a %c matrix: %s", "sdcz"[type], kind->name);
    free(w), free(v);
    problem_free(&problem);
}

static void test_kind(enum blas_type type, const char *name)
{
    const struct matrix_kind *kind = matrix_kinds;
    while (strcmp(kind->name, name) != 0)
        kind++;
    test_kind_of(type, kind);
}

int main(void)
{
    set_up_device();
    make_handle();
    for (int t = 0; t < 4; t++) {
        const enum blas_type type = all_types[t];
        const int tiny = blas_is_single(type) ? -100 : -1000, huge = blas_is_single(type) ? 120 : 1010;
        test_syevd_scaled(type, tiny);
        test_syevd_scaled(type, huge);
        test_sytrd_scaled(type, MUBLAS_LOWER, tiny);
        test_sytrd_scaled(type, MUBLAS_UPPER, huge);
        test_not_finite(type, NAN, MUBLAS_VECTORS);
        test_not_finite(type, INFINITY, MUBLAS_NO_VECTORS);
        test_other_triangle(type);
        test_kind(type, "zero");
        test_kind(type, "diagonal");
    }
    test_kind(TYPE_D, "graded down");
    test_kind(TYPE_Z, "tiny columns");
    for (int i = 0; i < REAL_KINDS; i++) {
        test_kind_of(TYPE_D, &real_kinds[i]);
        test_kind_of(TYPE_Z, &real_kinds[i]);
    }
    need(mublas_destroy(handle));
    return tap_done();
}

/* lanczos.c - Lanczos iteration on a dense symmetric matrix that stays as it is, with full
 * reorthogonalisation: EXTRA steps a repetition, and the Ritz values. Each step writes one
 * column of the basis, which the products of the next steps read. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"
#include "../timing.h"

#include <stdio.h>

static const int one = 1;
static const double plus = 1, minus = -1, zero = 0;

/* w = w - V (V^T w) for the first `columns` of the basis; returns the last column's coefficient. */
static double orthogonalise(int n, int columns, const double *basis, double *w, double *coefficients)
{
    dgemv_("T", &n, &columns, &plus, basis, &n, w, &one, &zero, coefficients, &one, 1);
    dgemv_("N", &n, &columns, &minus, basis, &n, coefficients, &one, &plus, w, &one, 1);
    return coefficients[columns - 1];
}

static void write_column(int n, const double *w, double norm, double *column)
{
    double scale = 1 / norm;
    dcopy_(&n, w, &one, column, &one);
    dscal_(&n, &scale, column, &one);
}

/* From w, the start; the basis gets steps + 1 columns, d and e `steps` elements. */
static void iterate(int n, int steps, const double *a, double *basis, double *w, double *d, double *e,
                    double *coefficients)
{
    write_column(n, w, dnrm2_(&n, w, &one), basis);
    for (int step = 0; step < steps; step++) {
        const double *v = basis + (size_t)step * (size_t)n;
        dsymv_("L", &n, &plus, a, &n, v, &one, &zero, w, &one, 1);
        d[step] = orthogonalise(n, step + 1, basis, w, coefficients);
        d[step] += orthogonalise(n, step + 1, basis, w, coefficients);
        e[step] = dnrm2_(&n, w, &one);
        write_column(n, w, e[step], basis + (size_t)(step + 1) * (size_t)n);
    }
}

int main(int count, char **arguments)
{
    struct run run = run_begin("lanczos", count, arguments, 100);
    int n = run.n, steps = run.extra < n ? run.extra : n - 1, info;
    if (steps < 1) {
        fprintf(stderr, "lanczos: N='1' leaves no step to take\n");
        return 2;
    }
    size_t length = (size_t)steps + 1;
    struct matrix a = problem_symmetric(n);
    double *matrix = allocate(matrix_size(&a)), *basis = allocate((size_t)n * length),
           *w = allocate((size_t)n);
    double *d = allocate(length), *e = allocate(length), *ritz = allocate(length), *work = allocate(length);
    matrix_fill(&a, matrix);
    struct matrix stored = matrix_dense((size_t)n, (size_t)n, matrix),
                  v = matrix_dense((size_t)n, length, basis);
    while (run_next(&run)) {
        for (int i = 0; i < n; i++)
            w[i] = entry(200 + (uint64_t)run.repetition, (uint64_t)i, 0);
        run_start(&run);
        iterate(n, steps, matrix, basis, w, d, e, work);
        memcpy(ritz, d, (size_t)steps * sizeof *ritz);
        memcpy(work, e, (size_t)steps * sizeof *work);
        dsterf_(&steps, ritz, work, &info);
        run_stop(&run);
        expect_success("dsterf", info);
        run_digest(&run, ritz, (size_t)steps);
        run_digest(&run, basis, matrix_size(&v));
        run_checked(&run, check_recurrence(&stored, &v, d, e), check_orthogonality(&v));
    }
    free(work);
    free(ritz);
    free(e);
    free(d);
    free(w);
    free(basis);
    free(matrix);
    return run_finish(&run);
}

#include "changing.h"
#include "lapack.h"
#include "../timing.h"

#include <float.h>
#include <math.h>

enum { KINDS = 3 };

static size_t result_size(const struct changing *changing)
{
    return (size_t)changing->n * PANEL;
}

struct changing changing_create(int n, int calls)
{
    size_t order = (size_t)n, size = order * PANEL;
    struct changing changing = {.n = n,
                                .calls = calls,
                                .u = allocate(order),
                                .x = allocate(size),
                                .results = allocate(size * (size_t)calls)};
    for (size_t i = 0; i < order; i++)
        changing.u[i] = entry(11, i, 0);
    for (size_t i = 0; i < size; i++)
        changing.x[i] = entry(12, i, 0);
    memset(changing.results, 0, size * (size_t)calls * sizeof *changing.results);
    return changing;
}

void changing_destroy(struct changing *changing)
{
    free(changing->u);
    free(changing->x);
    free(changing->results);
}

static double shift(int call)
{
    return 0.125 * (call % 16 + 1);
}

void changing_write(const struct changing *changing, int call, double *matrix)
{
    size_t n = (size_t)changing->n;
    double added = shift(call);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            matrix[i + j * n] = changing->u[i] * changing->u[j] + added;
}

static int columns_of(int call)
{
    return call % KINDS == 2 ? PANEL : 1;
}

void changing_call(const struct changing *changing, int call, const double *matrix)
{
    const double plus = 1, zero = 0;
    const int n = changing->n, one = 1, panel = PANEL;
    const double *x = changing->x;
    double *y = changing->results + (size_t)call * result_size(changing);
    if (call % KINDS == 0)
        dgemv_("N", &n, &n, &plus, matrix, &n, x, &one, &zero, y, &one, 1);
    else if (call % KINDS == 1)
        dsymv_("L", &n, &plus, matrix, &n, x, &one, &zero, y, &one, 1);
    else
        dgemm_("N", "N", &n, &panel, &n, &plus, matrix, &n, x, &n, &zero, y, &n, 1, 1);
}

/* One column: y must be u (u.x) + shift * sum(x). */
static double column_error(const struct changing *changing, int call, const double *x, const double *y)
{
    long double dot = 0, sum = 0, absolute_dot = 0, absolute_sum = 0;
    for (int i = 0; i < changing->n; i++) {
        long double product = (long double)changing->u[i] * x[i];
        dot += product;
        absolute_dot += fabsl(product);
        sum += x[i];
        absolute_sum += fabs(x[i]);
    }
    double worst = 0;
    for (int i = 0; i < changing->n; i++) {
        long double wanted = changing->u[i] * dot + shift(call) * sum;
        long double bound = fabs(changing->u[i]) * absolute_dot + shift(call) * absolute_sum;
        double error = (double)(fabsl(y[i] - wanted) / (bound * DBL_EPSILON));
        if (!(error <= worst))
            worst = error;
    }
    return worst;
}

double changing_check(const struct changing *changing)
{
    double worst = 0;
    size_t n = (size_t)changing->n;
    for (int call = 0; call < changing->calls; call++) {
        const double *results = changing->results + (size_t)call * result_size(changing);
        for (size_t j = 0; j < (size_t)columns_of(call); j++) {
            double error = column_error(changing, call, changing->x + j * n, results + j * n);
            if (!(error <= worst))
                worst = error;
        }
    }
    return worst;
}

void changing_digest(const struct changing *changing, struct run *run)
{
    run_digest(run, changing->results, result_size(changing) * (size_t)changing->calls);
}

/* The emulated cuSOLVER's gesvdp: U S V^H is A, whichever parts are asked for. */
#include "emulated_solver.h"
#include "unit_test.h"

enum { LONG = 13, SHORT = 8 };

static const char types[] = "sdcz";
static struct matrix a, s, u, v;
static double complex original[LONG * LONG];
static double error_sigma;

static int least(void)
{
    return a.rows < a.columns ? a.rows : a.columns;
}

static void make(char type, int m, int n, int u_columns, int v_rows, int v_columns)
{
    a = matrix_make(type, m, n), s = matrix_make(real_type(type), m < n ? m : n, 1);
    u = matrix_make(type, m, u_columns), v = matrix_make(type, v_rows, v_columns);
    matrix_random(&a);
    memcpy(original, a.values, (size_t)(m * n) * sizeof *original);
    matrix_put(&a);
}
static void drop(void)
{
    matrix_free(&a), matrix_free(&s), matrix_free(&u), matrix_free(&v);
}

static bool finish(void)
{
    bool poisoned;
    const bool untouched = count_poison(&s) == least();
    const int info = buffers_finish(&poisoned);
    return info == 0 && poisoned && untouched && matrix_get(&s) && matrix_get(&u) && matrix_get(&v) &&
           matrix_get(&a);
}

static int gesvdp(int jobz, int econ)
{
    const int t = data_type(a.type), real = data_type(real_type(a.type));
    size_t device, host;
    MUST(SOLVER(cusolverDnXgesvdp_bufferSize)(handle, params, jobz, econ, a.rows, a.columns, t, NULL, a.ld,
                                              real, NULL, t, NULL, u.ld, t, NULL, v.ld, t, &device, &host));
    buffers_make(device, host);
    return SOLVER(cusolverDnXgesvdp)(handle, params, jobz, econ, a.rows, a.columns, t, on_device(a.device),
                                     a.ld, real, on_device(s.device), t, jobz ? on_device(u.device) : NULL,
                                     u.ld, t, jobz ? on_device(v.device) : NULL, v.ld, t, BUFFERS,
                                     &error_sigma);
}

/* U S V^H - A. */
static double product_error(void)
{
    double complex scaled[LONG * LONG], product[LONG * LONG];
    const int m = a.rows, n = a.columns, k = least();
    for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++)
            scaled[i + j * m] = u.values[i + j * m] * s.values[j];
    multiply(m, n, k, scaled, m, false, v.values, n, true, product, m);
    return distance(product, original, (size_t)(m * n));
}
static double orthogonality(const struct matrix *q)
{
    double complex product[LONG * LONG], identity[LONG * LONG] = {0};
    for (int i = 0; i < q->columns; i++)
        identity[i + i * q->columns] = 1;
    multiply(q->columns, q->columns, q->rows, q->values, q->rows, true, q->values, q->rows, false, product,
             q->columns);
    return distance(product, identity, (size_t)(q->columns * q->columns));
}

static void test_gesvdp(char type, int m, int n)
{
    const double limit = 300 * type_epsilon(type);
    double first;
    make(type, m, n, m, n, n);
    setenv("EMULATED_SOLVER_SIGMA_ERROR", "0.125", 1);
    error_sigma = 0;
    MUST(gesvdp(1, 0));
    const bool before = isnan(error_sigma);
    tap_ok(finish() && before && error_sigma == 0.125 && count_poison(&a) == m * n &&
               orthogonality(&u) < limit && orthogonality(&v) < limit && product_error() < limit,
           "%c gesvdp %d x %d: all vectors, and the error asked for", type, m, n);
    unsetenv("EMULATED_SOLVER_SIGMA_ERROR");
    first = creal(s.values[0]);
    memcpy(a.values, original, (size_t)(m * n) * sizeof *original);
    matrix_put(&a);
    MUST(gesvdp(0, 0));
    tap_ok(finish() && error_sigma == 0 && fabs(first - creal(s.values[0])) < limit,
           "%c gesvdp %d x %d: values alone", type, m, n);
    drop();
    make(type, m, n, SHORT, n, SHORT);
    MUST(gesvdp(1, 1));
    tap_ok(finish() && orthogonality(&u) < limit && product_error() < limit,
           "%c gesvdp %d x %d: the first vectors", type, m, n);
    drop();
}

UNIT_TEST(test_emulated_solver_svd)
{
    open_solver();
    for (const char *type = types; *type; type++) {
        test_gesvdp(*type, LONG, SHORT);
        test_gesvdp(*type, SHORT, LONG);
    }
    return tap_done();
}

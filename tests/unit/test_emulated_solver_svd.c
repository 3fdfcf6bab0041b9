/* The emulated cuSOLVER's gesvd and gesvdp: U S V^H is A, whichever parts are asked for. */
#include "emulated_solver.h"

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
    return info == 0 && poisoned && untouched && matrix_get(&s) && matrix_get(&u) && matrix_get(&v) && matrix_get(&a);
}

static int gesvd(signed char jobu, signed char jobvt, bool with_u, bool with_v)
{
    const int t = data_type(a.type), real = data_type(real_type(a.type));
    size_t device, host;
    const int status = SOLVER(cusolverDnXgesvd_bufferSize)(handle, params, jobu, jobvt, a.rows, a.columns, t, NULL,
                                                           a.ld, real, NULL, t, NULL, u.ld, t, NULL, v.ld, t, &device,
                                                           &host);
    if (status)
        return status;
    buffers_make(device, host);
    return SOLVER(cusolverDnXgesvd)(handle, params, jobu, jobvt, a.rows, a.columns, t, on_device(a.device), a.ld, real,
                                    on_device(s.device), t, with_u ? on_device(u.device) : NULL, u.ld, t,
                                    with_v ? on_device(v.device) : NULL, v.ld, t, BUFFERS);
}

static int gesvdp(int jobz, int econ)
{
    const int t = data_type(a.type), real = data_type(real_type(a.type));
    size_t device, host;
    MUST(SOLVER(cusolverDnXgesvdp_bufferSize)(handle, params, jobz, econ, a.rows, a.columns, t, NULL, a.ld, real,
                                              NULL, t, NULL, u.ld, t, NULL, v.ld, t, &device, &host));
    buffers_make(device, host);
    return SOLVER(cusolverDnXgesvdp)(handle, params, jobz, econ, a.rows, a.columns, t, on_device(a.device), a.ld,
                                     real, on_device(s.device), t, jobz ? on_device(u.device) : NULL, u.ld, t,
                                     jobz ? on_device(v.device) : NULL, v.ld, t, BUFFERS, &error_sigma);
}

/* U S V^H - A of U and V or, `transposed`, VT, each by its leading dimension; and U's columns, V's too,
 * orthonormal. */
static double product_error(const double complex *left, int ldu, const double complex *right, int ldv,
                            bool transposed)
{
    double complex scaled[LONG * LONG], product[LONG * LONG];
    const int m = a.rows, n = a.columns, k = least();
    for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++)
            scaled[i + j * m] = left[i + j * ldu] * s.values[j];
    multiply(m, n, k, scaled, m, false, right, ldv, !transposed, product, m);
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

static void test_gesvd(char type)
{
    const double limit = 300 * type_epsilon(type);
    double values[SHORT], most = 0;
    make(type, LONG, SHORT, LONG, SHORT, SHORT);
    MUST(gesvd('A', 'A', true, true));
    tap_ok(finish() && count_poison(&a) == LONG * SHORT && orthogonality(&u) < limit &&
               product_error(u.values, LONG, v.values, SHORT, true) < limit,
           "%c gesvd: all vectors, A is poison", type);
    for (int i = 0; i < SHORT; i++)
        values[i] = creal(s.values[i]);
    memcpy(a.values, original, sizeof(double complex[LONG * SHORT]));
    matrix_put(&a);
    MUST(gesvd('N', 'N', false, false));
    const bool alone = finish();
    for (int i = 0; i < SHORT; i++)
        most = fmax(most, fabs(values[i] - creal(s.values[i])));
    tap_ok(alone && most < limit && count_poison(&a) == LONG * SHORT, "%c gesvd: values alone", type);
    drop();
    make(type, LONG, SHORT, SHORT, SHORT, SHORT);
    MUST(gesvd('S', 'S', true, true));
    tap_ok(finish() && orthogonality(&u) < limit && product_error(u.values, LONG, v.values, SHORT, true) < limit,
           "%c gesvd: the first vectors", type);
    memcpy(a.values, original, sizeof(double complex[LONG * SHORT]));
    matrix_put(&a);
    MUST(gesvd('O', 'A', false, true));
    tap_ok(finish() && product_error(a.values, LONG, v.values, SHORT, true) < limit, "%c gesvd: U over A", type);
    memcpy(a.values, original, sizeof(double complex[LONG * SHORT]));
    matrix_put(&a);
    MUST(gesvd('S', 'O', true, false));
    tap_ok(finish() && count_poison(&a) == (LONG - SHORT) * SHORT &&
               product_error(u.values, LONG, a.values, LONG, true) < limit,
           "%c gesvd: V over A, the rest is poison", type);
    drop();
    make(type, SHORT, LONG, SHORT, LONG, LONG);
    tap_ok(gesvd('N', 'N', false, false) == CUSOLVER_STATUS_INVALID_VALUE, "%c gesvd: no wide matrices", type);
    drop();
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
    tap_ok(finish() && before && error_sigma == 0.125 && count_poison(&a) == m * n && orthogonality(&u) < limit &&
               orthogonality(&v) < limit && product_error(u.values, m, v.values, n, false) < limit,
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
    tap_ok(finish() && orthogonality(&u) < limit && product_error(u.values, m, v.values, n, false) < limit,
           "%c gesvdp %d x %d: the first vectors", type, m, n);
    drop();
}

int main(void)
{
    open_solver();
    for (const char *type = types; *type; type++) {
        test_gesvd(*type);
        test_gesvdp(*type, LONG, SHORT);
        test_gesvdp(*type, SHORT, LONG);
    }
    return tap_done();
}

/* The emulated cuSOLVER's geev: A V is V diag(w), with LAPACK's pairs for real matrices. */
#include "emulated_solver.h"
#include "unit_test.h"

enum { N = 12 };

static const char types[] = "sdcz";
static struct matrix a, w, vr;
static double complex original[N * N];

static int geev(int jobvl, int jobvr)
{
    const int t = data_type(a.type), values = data_type(w.type);
    size_t device, host;
    const int status = SOLVER(cusolverDnXgeev_bufferSize)(handle, params, jobvl, jobvr, N, t, NULL, a.ld,
                                                          values, NULL, t, NULL, 1, t, NULL, vr.ld, t,
                                                          &device, &host);
    if (status)
        return status;
    buffers_make(device, host);
    return SOLVER(cusolverDnXgeev)(handle, params, jobvl, jobvr, N, t, on_device(a.device), a.ld, values,
                                   on_device(w.device), t, NULL, 1, t, jobvr ? on_device(vr.device) : NULL,
                                   vr.ld, t, BUFFERS);
}

static bool finish(void)
{
    bool poisoned;
    const bool untouched = count_poison(&w) == w.rows;
    const int info = buffers_finish(&poisoned);
    return info == 0 && poisoned && untouched && count_poison(&a) == N * N && matrix_get(&w) &&
           matrix_get(&vr);
}

static double complex value_of(int i)
{
    return w.rows == N ? w.values[i] : w.values[i] + I * w.values[N + i];
}

/* A V - V diag(w), V made of real pairs where A is real; infinite when no pair was there. */
static double residual(bool *pairs)
{
    double complex vectors[N * N], left[N * N];
    const bool real = a.type == 's' || a.type == 'd';
    *pairs = !real;
    memcpy(vectors, vr.values, sizeof vectors);
    for (int j = 0; j < N && real; j++) {
        if (cimag(value_of(j)) == 0)
            continue;
        *pairs = value_of(j + 1) == conj(value_of(j)) && cimag(value_of(j)) > 0;
        for (int i = 0; i < N; i++) {
            vectors[i + j * N] = vr.values[i + j * N] + I * vr.values[i + (j + 1) * N];
            vectors[i + (j + 1) * N] = conj(vectors[i + j * N]);
        }
        j++;
    }
    multiply(N, N, N, original, N, false, vectors, N, false, left, N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            vectors[i + j * N] *= value_of(j);
    return distance(left, vectors, N * N);
}

static void test_geev(char type, char value_type)
{
    const double limit = 500 * type_epsilon(type);
    double complex sum = 0, trace = 0;
    bool pairs;
    const int rows = value_type == 's' || value_type == 'd' ? 2 * N : N;
    a = matrix_make(type, N, N), w = matrix_make(value_type, rows, 1), vr = matrix_make(type, N, N);
    matrix_random(&a);
    memcpy(original, a.values, sizeof original);
    matrix_put(&a);
    MUST(geev(0, 1));
    tap_ok(finish() && residual(&pairs) < limit && pairs, "%c geev with values of %c: vectors, A is poison",
           type, value_type);
    memcpy(a.values, original, sizeof original);
    matrix_put(&a);
    MUST(geev(0, 0));
    const bool alone = finish();
    for (int i = 0; i < N; i++)
        sum += value_of(i), trace += original[i + i * N];
    tap_ok(alone && cabs(sum - trace) < limit, "%c geev with values of %c: values alone", type, value_type);
    tap_ok(geev(1, 0) == CUSOLVER_STATUS_INVALID_VALUE, "%c geev: no left vectors", type);
    matrix_free(&a), matrix_free(&w), matrix_free(&vr);
}

UNIT_TEST(test_emulated_solver_geev)
{
    open_solver();
    for (const char *type = types; *type; type++)
        test_geev(*type, *type);
    test_geev('s', 'c');
    test_geev('d', 'z');
    return tap_done();
}

/* Singular values by the native API: A = U S V', that U's and V's columns are orthonormal, values alone the same, that
 * guards stay; matrices that are scaled, or are not finite; what is wrong with arguments. */
#include "eigen_operands.h"

struct decomposed {
    int m, n, k, info;
    double complex *u, *v;
    double *s;
};

static double complex *random_matrix(enum blas_type type, int m, int n, double scale)
{
    static uint32_t state = 815;
    double complex *const values = calloc((size_t)(m * n), sizeof *values);
    for (int i = 0; i < m * n; i++) {
        double both[2];
        for (int part = 0; part < 2; part++) {
            state = state * 1664525u + 1013904223u;
            both[part] = scale * (double)(float)((double)(state >> 8) / (1 << 23) - 1);
        }
        values[i] = blas_scalar_parts(type) == 2 ? CMPLX(both[0], both[1]) : both[0];
    }
    return values;
}

static struct decomposed decompose(enum blas_type type, int m, int n, const double complex *given,
                                   enum mublas_vectors vectors, bool *good)
{
    const int k = m < n ? m : n;
    struct decomposed result = {.m = m, .n = n, .k = k};
    struct operand_on_device a = operand_make(type, m, n), s = operand_make(real_of(type), k, 1),
                             u = operand_make(type, m, k), v = operand_make(type, n, k);
    int *const info = filled(sizeof *info);
    size_t bytes;
    unsigned char behind;
    operand_put(&a, given, 'A');
    need(mublas_gesdd_workspace(handle, letter_of(type), vectors, m, n, a.ld, u.ld, v.ld, &bytes));
    void *const workspace = filled(bytes);
    *good = BY_TYPE(type, gesdd, gesdd, vectors, m, n, a.device, a.ld, s.device, u.device, u.ld, v.device, v.ld,
                    workspace, bytes, info) == MUBLAS_SUCCESS;
    need(mublas_copy_to_host(handle, &behind, (char *)workspace + bytes, 1));
    *good = *good && behind == 0xff;
    free(operand_get(&a, 'A', good));
    result.u = operand_get(&u, 'A', good);
    result.v = operand_get(&v, 'A', good);
    result.s = real_values(&s, good);
    result.info = int_of(info);
    struct operand_on_device *const all[] = {&a, &s, &u, &v};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        operand_free(all[i]);
    need(mublas_device_free(handle, info));
    need(mublas_device_free(handle, workspace));
    return result;
}

static void release(struct decomposed *result) { free(result->u), free(result->v), free(result->s); }

/* The largest element of A - U S V', over the largest value. */
static double residual(const struct decomposed *result, const double complex *given)
{
    double most = 0;
    for (int j = 0; j < result->n; j++)
        for (int i = 0; i < result->m; i++) {
            double complex sum = given[i + j * result->m];
            for (int l = 0; l < result->k; l++)
                sum -= result->u[i + l * result->m] * result->s[l] * conj(result->v[j + l * result->n]);
            most = fmax(most, isnan(cabs(sum)) ? INFINITY : cabs(sum));
        }
    return most / result->s[0];
}

/* The largest element of Q'Q - I. */
static double skew(const double complex *q, int rows, int columns)
{
    double most = 0;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i <= j; i++) {
            double complex sum = i == j ? -1 : 0;
            for (int l = 0; l < rows; l++)
                sum += conj(q[l + i * rows]) * q[l + j * rows];
            most = fmax(most, isnan(cabs(sum)) ? INFINITY : cabs(sum));
        }
    return most;
}

static void test(enum blas_type type, int m, int n, double scale)
{
    bool good, alone_good;
    double complex *const given = random_matrix(type, m, n, scale);
    struct decomposed with = decompose(type, m, n, given, MUBLAS_VECTORS, &good),
                      alone = decompose(type, m, n, given, MUBLAS_NO_VECTORS, &alone_good);
    const double bound = BOUND * (m > n ? m : n) * epsilon_of(type);
    double apart = 0;
    for (int i = 0; i < with.k; i++) {
        good = good && with.s[i] >= 0 && (i == 0 || with.s[i] <= with.s[i - 1]);
        apart = fmax(apart, fabs(with.s[i] - alone.s[i]) / with.s[0]);
    }
    const double off = residual(&with, given), of_u = skew(with.u, m, with.k), of_v = skew(with.v, n, with.k);
    tap_ok(good && alone_good && with.info == 0 && alone.info == 0 && off <= bound && of_u <= bound &&
               of_v <= bound && apart <= bound,
           "gesdd, %c, %d x %d, elements of %g", "sdcz"[type], m, n, scale);
    if (!(off + of_u + of_v + apart <= bound))
        printf("# residual %g, U %g, V %g, values %g\n", off, of_u, of_v, apart);
    free(given);
    release(&with), release(&alone);
}

static void test_not_finite(enum blas_type type, enum mublas_vectors vectors)
{
    enum { M = 7, N = 6 };
    bool good, all = true;
    double complex *const given = random_matrix(type, M, N, 1);
    given[M + 3] = NAN;
    struct decomposed result = decompose(type, M, N, given, vectors, &good);
    for (int i = 0; i < N; i++)
        all = all && isnan(result.s[i]);
    tap_ok(good && all && result.info == -1, "gesdd of NaN, %c, vectors %c: values are NaN, and info says it",
           "sdcz"[type], vectors);
    free(given);
    release(&result);
}

static void refused(enum mublas_status status, const char *text)
{
    tap_ok(status == MUBLAS_BAD_ARGUMENT && strstr(mublas_last_error(handle), text), "%s", text);
    if (!strstr(mublas_last_error(handle), text))
        printf("# status %d: %s\n", status, mublas_last_error(handle));
}

static void test_arguments(void)
{
    enum { N = 5 };
    const enum mublas_vectors with = MUBLAS_VECTORS, alone = MUBLAS_NO_VECTORS;
    void *const x = filled(N * N * 16);
    int *const info = filled(sizeof *info);
    size_t bytes = 1 << 20;
    void *const w = filled(bytes);
    refused(mublas_gesdd_workspace(handle, 'x', with, N, N, N, N, N, &bytes),
            "mublas_gesdd_workspace: type is none of");
    refused(mublas_dgesdd(handle, 'q', N, N, x, N, x, x, N, x, N, w, bytes, info), "vectors is neither");
    refused(mublas_dgesdd(handle, with, -1, N, x, N, x, x, N, x, N, w, bytes, info), "m is -1, less than 0");
    refused(mublas_sgesdd(handle, alone, N, 2, x, 4, x, NULL, 0, NULL, 0, w, bytes, info),
            "lda is 4, less than m, which is 5");
    refused(mublas_cgesdd(handle, with, N, 2, x, N, x, x, 4, x, 2, w, bytes, info),
            "ldu is 4, less than m, which is 5");
    refused(mublas_zgesdd(handle, with, 2, N, x, 2, x, x, 2, x, 4, w, bytes, info),
            "ldv is 4, less than n, which is 5");
    refused(mublas_dgesdd(handle, with, N, N, NULL, N, x, x, N, x, N, w, bytes, info), "a is NULL");
    refused(mublas_dgesdd(handle, with, N, N, x, N, NULL, x, N, x, N, w, bytes, info), "s is NULL");
    refused(mublas_dgesdd(handle, with, N, N, x, N, x, NULL, N, x, N, w, bytes, info), "u is NULL");
    refused(mublas_dgesdd(handle, with, N, N, x, N, x, x, N, NULL, N, w, bytes, info), "v is NULL");
    refused(mublas_dgesdd(handle, with, N, N, x, N, x, x, N, x, N, w, bytes, NULL), "info is NULL");
    refused(mublas_dgesdd(handle, with, N, N, x, N, x, x, N, x, N, w, 1, info),
            "workspace_bytes is 1, less than");
    tap_ok(mublas_dgesdd(handle, with, 0, N, NULL, 1, NULL, NULL, 1, NULL, N, NULL, 0, info) == MUBLAS_SUCCESS &&
               int_of(info) == 0,
           "what has nothing to do needs nothing but INFO");
    need(mublas_device_free(handle, x));
    need(mublas_device_free(handle, info));
    need(mublas_device_free(handle, w));
}

int main(void)
{
    static const int shapes[][2] = {{1, 1}, {2, 3}, {30, 8}, {8, 30}, {20, 19}};
    set_up_device();
    make_handle();
    for (int t = 0; t < 4; t++) {
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            test(all_types[t], shapes[i][0], shapes[i][1], 1);
        test(all_types[t], 8, 6, blas_is_single(all_types[t]) ? 1e-30 : 1e-290);
        test(all_types[t], 5, 8, blas_is_single(all_types[t]) ? 1e33 : 1e300);
        test_not_finite(all_types[t], t % 2 ? MUBLAS_VECTORS : MUBLAS_NO_VECTORS);
    }
    test_arguments();
    need(mublas_destroy(handle));
    return tap_done();
}

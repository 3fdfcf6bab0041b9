/* The native API's reduction to bidiagonal form and products with its matrices: A = Q B P', that Q and P are
 * unitary; and singular values: A = U S V', that U's and V's columns are orthonormal, values alone the same.
 * That guards stay; matrices that are scaled, or are not finite; what is wrong with arguments. */
#include "eigen_operands.h"

struct reduced {
    int m, n, k;
    struct operand_on_device a, d, e, tauq, taup;
};

static double complex *random_matrix(enum blas_type type, int m, int n, double scale)
{
    static uint32_t state = 4711;
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

static struct reduced reduce(enum blas_type type, int m, int n, const double complex *given, bool *good)
{
    const int k = m < n ? m : n;
    struct reduced reduced = {m, n, k, operand_make(type, m, n), operand_make(real_of(type), k, 1),
                              operand_make(real_of(type), k - 1, 1), operand_make(type, k, 1),
                              operand_make(type, k, 1)};
    size_t bytes;
    operand_put(&reduced.a, given, 'A');
    need(mublas_gebrd_workspace(handle, letter_of(type), m, n, reduced.a.ld, &bytes));
    void *const workspace = filled(bytes);
    *good = BY_TYPE(type, gebrd, gebrd, m, n, reduced.a.device, reduced.a.ld, reduced.d.device, reduced.e.device,
                    reduced.tauq.device, reduced.taup.device, workspace, bytes) == MUBLAS_SUCCESS;
    unsigned char behind;
    need(mublas_copy_to_host(handle, &behind, (char *)workspace + bytes, 1));
    *good = *good && behind == 0xff;
    need(mublas_device_free(handle, workspace));
    return reduced;
}

static void reduced_free(struct reduced *reduced)
{
    struct operand_on_device *const all[] = {&reduced->a, &reduced->d, &reduced->e, &reduced->tauq, &reduced->taup};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        operand_free(all[i]);
}

/* Q or P whole, from the identity; `right` and the adjoint give the same by another way. */
static double complex *form(const struct reduced *reduced, enum mublas_vect vect, bool right, bool *good)
{
    const enum blas_type type = reduced->a.type;
    const int order = vect == MUBLAS_Q ? reduced->m : reduced->n, k = vect == MUBLAS_Q ? reduced->n : reduced->m;
    const enum mublas_side side = right ? MUBLAS_RIGHT : MUBLAS_LEFT;
    struct operand_on_device c = operand_make(type, order, order);
    double complex *const one = calloc((size_t)(order * order), sizeof *one);
    size_t bytes;
    for (int i = 0; i < order; i++)
        one[i * (order + 1)] = 1;
    operand_put(&c, one, 'A');
    free(one);
    need(mublas_ormbr_workspace(handle, letter_of(type), vect, side, MUBLAS_NO_TRANS, order, order, k,
                                reduced->a.ld, c.ld, &bytes));
    void *const workspace = filled(bytes);
    *good = BY_TYPE(type, ormbr, unmbr, vect, side, MUBLAS_NO_TRANS, order, order, k, reduced->a.device,
                    reduced->a.ld, (vect == MUBLAS_Q ? &reduced->tauq : &reduced->taup)->device, c.device, c.ld,
                    workspace, bytes) == MUBLAS_SUCCESS &&
            *good;
    double complex *const values = operand_get(&c, 'A', good);
    need(mublas_device_free(handle, workspace));
    operand_free(&c);
    return values;
}

/* The largest element of A - Q B P', over the largest of A. */
static double residual(const struct reduced *reduced, const double complex *given, const double complex *q,
                       const double complex *p, const double *d, const double *e)
{
    const int m = reduced->m, n = reduced->n;
    double most = 0, size = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double complex sum = given[i + j * m];
            for (int l = 0; l < reduced->k; l++) {
                double complex right = d[l] * conj(p[j + l * n]);
                if (m >= n && l + 1 < n)
                    right += e[l] * conj(p[j + (l + 1) * n]);
                if (m < n && l > 0)
                    right += e[l - 1] * conj(p[j + (l - 1) * n]);
                sum -= q[i + l * m] * right;
            }
            most = fmax(most, isnan(cabs(sum)) ? INFINITY : cabs(sum));
            size = fmax(size, cabs(given[i + j * m]));
        }
    return most / size;
}

static void test(enum blas_type type, int m, int n, double scale)
{
    bool good, kept = true;
    double complex *const given = random_matrix(type, m, n, scale);
    struct reduced reduced = reduce(type, m, n, given, &good);
    double complex *const q = form(&reduced, MUBLAS_Q, false, &good),
                   *const p = form(&reduced, MUBLAS_P, true, &good);
    double *const d = real_values(&reduced.d, &kept), *const e = real_values(&reduced.e, &kept);
    free(operand_get(&reduced.a, 'A', &kept));
    const double bound = BOUND * (m > n ? m : n) * epsilon_of(type), off = residual(&reduced, given, q, p, d, e);
    tap_ok(good && kept && off <= bound && skew_of(q, m) <= bound && skew_of(p, n) <= bound,
           "gebrd and ormbr, %c, %d x %d, elements of %g", "sdcz"[type], m, n, scale);
    if (!(off <= bound))
        printf("# residual %g\n", off);
    free(given), free(q), free(p), free(d), free(e);
    reduced_free(&reduced);
}

static void test_not_finite(enum blas_type type)
{
    enum { M = 7, N = 6 };
    bool good, kept = true, all = true;
    double complex *const given = random_matrix(type, M, N, 1);
    given[M + 3] = INFINITY;
    struct reduced reduced = reduce(type, M, N, given, &good);
    double *const d = real_values(&reduced.d, &kept), *const e = real_values(&reduced.e, &kept);
    for (int i = 0; i < N; i++)
        all = all && isnan(d[i]) && (i + 1 == N || isnan(e[i]));
    tap_ok(good && kept && all, "gebrd of infinity, %c: d and e are NaN", "sdcz"[type]);
    free(given), free(d), free(e);
    reduced_free(&reduced);
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
    void *const x = filled(N * N * 16);
    size_t bytes = 1 << 20;
    void *const workspace = filled(bytes);
    refused(mublas_gebrd_workspace(handle, 'x', N, N, N, &bytes), "mublas_gebrd_workspace: type is none of");
    refused(mublas_dgebrd(handle, -1, N, x, N, x, x, x, x, workspace, bytes), "m is -1, less than 0");
    refused(mublas_dgebrd(handle, N, 2, x, N - 1, x, x, x, x, workspace, bytes), "lda is 4, less than m, which is 5");
    refused(mublas_zgebrd(handle, N, N, x, N, x, x, NULL, x, workspace, bytes), "tauq is NULL");
    refused(mublas_sgebrd(handle, N, N, x, N, x, x, x, NULL, workspace, bytes), "taup is NULL");
    refused(mublas_sgebrd(handle, N, N, x, N, x, x, x, x, workspace, 1), "workspace_bytes is 1, less than");
    refused(mublas_dormbr(handle, 'R', MUBLAS_LEFT, MUBLAS_NO_TRANS, N, N, N, x, N, x, x, N, workspace, bytes),
            "mublas_dormbr: vect is neither MUBLAS_Q nor MUBLAS_P");
    refused(mublas_dormbr(handle, MUBLAS_Q, 'q', MUBLAS_NO_TRANS, N, N, N, x, N, x, x, N, workspace, bytes),
            "side is neither MUBLAS_LEFT nor MUBLAS_RIGHT");
    refused(mublas_zunmbr(handle, MUBLAS_Q, MUBLAS_LEFT, MUBLAS_TRANS, N, N, N, x, N, x, x, N, workspace, bytes),
            "trans is neither MUBLAS_NO_TRANS nor MUBLAS_CONJ_TRANS");
    refused(mublas_dormbr(handle, MUBLAS_Q, MUBLAS_LEFT, MUBLAS_NO_TRANS, N, N, -3, x, N, x, x, N, workspace, bytes),
            "k is -3, less than 0");
    refused(mublas_dormbr(handle, MUBLAS_P, MUBLAS_LEFT, MUBLAS_NO_TRANS, N, N, 4, x, 3, x, x, N, workspace, bytes),
            "lda is 3, less than the smaller one of k and P's order, which is 4");
    refused(mublas_dormbr(handle, MUBLAS_P, MUBLAS_LEFT, MUBLAS_NO_TRANS, N, N, 4, x, N, x, x, 4, workspace, bytes),
            "ldc is 4, less than m, which is 5");
    refused(mublas_dormbr(handle, MUBLAS_P, MUBLAS_LEFT, MUBLAS_NO_TRANS, N, N, 4, x, N, NULL, x, N, workspace,
                          bytes),
            "tau is NULL");
    tap_ok(mublas_dgebrd(handle, 0, N, NULL, 1, NULL, NULL, NULL, NULL, NULL, 0) == MUBLAS_SUCCESS &&
               mublas_dormbr(handle, MUBLAS_P, MUBLAS_LEFT, MUBLAS_NO_TRANS, 1, N, 1, x, 1, NULL, x, 1, NULL, 0) ==
                   MUBLAS_SUCCESS &&
               mublas_dormbr(handle, MUBLAS_Q, MUBLAS_LEFT, MUBLAS_NO_TRANS, N, N, 0, x, N, NULL, x, N, NULL, 0) ==
                   MUBLAS_SUCCESS,
           "what has nothing to do needs nothing");
    need(mublas_device_free(handle, x));
    need(mublas_device_free(handle, workspace));
}

/* The largest element of Q'Q - I. */
static double skew_of_columns(const double complex *q, int rows, int columns)
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

/* gesdd. */
struct decomposed {
    int m, n, k, info;
    double complex *u, *v;
    double *s;
};

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
static double residual_of_values(const struct decomposed *result, const double complex *given)
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

static void test_values(enum blas_type type, int m, int n, double scale)
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
    const double off = residual_of_values(&with, given), of_u = skew_of_columns(with.u, m, with.k), of_v = skew_of_columns(with.v, n, with.k);
    tap_ok(good && alone_good && with.info == 0 && alone.info == 0 && off <= bound && of_u <= bound &&
               of_v <= bound && apart <= bound,
           "gesdd, %c, %d x %d, elements of %g", "sdcz"[type], m, n, scale);
    if (!(off + of_u + of_v + apart <= bound))
        printf("# residual %g, U %g, V %g, values %g\n", off, of_u, of_v, apart);
    free(given);
    release(&with), release(&alone);
}

static void test_values_not_finite(enum blas_type type, enum mublas_vectors vectors)
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

static void test_values_arguments(void)
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
    static const int shapes[][2] = {{1, 1}, {2, 3}, {20, 9}, {9, 20}, {34, 33}},
                     shapes_of_values[][2] = {{1, 1}, {2, 3}, {30, 8}, {8, 30}, {20, 19}};
    set_up_device();
    make_handle();
    for (int t = 0; t < 4; t++) {
        const enum blas_type type = all_types[t];
        const double small = blas_is_single(type) ? 1e-30 : 1e-290, large = blas_is_single(type) ? 1e33 : 1e300;
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            test(type, shapes[i][0], shapes[i][1], 1);
            test_values(type, shapes_of_values[i][0], shapes_of_values[i][1], 1);
        }
        test(type, 8, 6, small), test_values(type, 8, 6, small);
        test(type, 5, 8, large), test_values(type, 5, 8, large);
        test_not_finite(type);
        test_values_not_finite(type, t % 2 ? MUBLAS_VECTORS : MUBLAS_NO_VECTORS);
    }
    test_arguments();
    test_values_arguments();
    need(mublas_destroy(handle));
    return tap_done();
}

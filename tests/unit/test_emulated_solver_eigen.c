/* The emulated cuSOLVER's symmetric eigenvalue problems and Cholesky factorisation: residuals, ranges,
 * what is undefined afterwards. */
#include "emulated_solver.h"
#include "unit_test.h"

enum { N = 13, IL = 3, IU = 7 };

static const char types[] = "sdcz";
static struct matrix a, b, w, original, original_b;
static int64_t found64;
static int found;

static void make(char type)
{
    a = matrix_make(type, N, N), b = matrix_make(type, N, N), w = matrix_make(real_type(type), N, 1);
    original = matrix_make(type, N, N), original_b = matrix_make(type, N, N);
    matrix_hermitian(&a, 0);
    matrix_hermitian(&b, 2 * N);
    memcpy(original.values, a.values, N * N * sizeof *a.values);
    memcpy(original_b.values, b.values, N * N * sizeof *b.values);
}
static void drop(void)
{
    matrix_free(&a), matrix_free(&b), matrix_free(&w), matrix_free(&original), matrix_free(&original_b);
}

/* The triangle that is not referenced holds NaN. */
static void put_triangle(struct matrix *matrix, int uplo)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            if (uplo ? i > j : i < j)
                *value_at(matrix, i, j) = CMPLX(NAN, NAN);
    matrix_put(matrix);
}

/* Largest element of M Z - Z diag(w) for itype 0, and so on as sygvd's types. */
static double residual(int itype, int count)
{
    double complex left[N * N], middle[N * N], right[N * N];
    const double complex *m = original.values, *m_b = original_b.values, *z = a.values;
    if (itype == 2)
        multiply(N, count, N, m_b, N, false, z, N, false, middle, N);
    if (itype == 3)
        multiply(N, count, N, m, N, false, z, N, false, middle, N);
    multiply(N, count, N, itype == 3 ? m_b : m, N, false, itype > 1 ? middle : z, N, false, left, N);
    memcpy(right, z, sizeof(double complex[N]) * (size_t)count);
    if (itype == 1)
        multiply(N, count, N, m_b, N, false, z, N, false, right, N);
    for (int j = 0; j < count; j++)
        for (int i = 0; i < N; i++)
            right[i + j * N] *= w.values[j];
    return distance(left, right, (size_t)(count * N));
}

static bool is_sorted(int count)
{
    bool good = true;
    for (int i = 1; i < count; i++)
        good = good && creal(w.values[i - 1]) <= creal(w.values[i]);
    return good;
}

static void queue_syevd(char type, int jobz, int uplo, int range, double vl, double vu)
{
    const int t = data_type(type), real = data_type(real_type(type));
    float narrow[2] = {(float)vl, (float)vu};
    double wide[2] = {vl, vu};
    void *low = real == CUDA_R_32F ? (void *)&narrow[0] : (void *)&wide[0];
    void *high = real == CUDA_R_32F ? (void *)&narrow[1] : (void *)&wide[1];
    size_t device, host;
    if (range == 0) {
        MUST(SOLVER(cusolverDnXsyevd_bufferSize)(handle, params, jobz, uplo, N, t, NULL, a.ld, real, NULL, t,
                                                 &device, &host));
        buffers_make(device, host);
        MUST(SOLVER(cusolverDnXsyevd)(handle, params, jobz, uplo, N, t, on_device(a.device), a.ld, real,
                                      on_device(w.device), t, BUFFERS));
        return;
    }
    MUST(SOLVER(cusolverDnXsyevdx_bufferSize)(handle, params, jobz, range, uplo, N, t, NULL, a.ld, low, high,
                                              IL, IU, &found64, real, NULL, t, &device, &host));
    buffers_make(device, host);
    found64 = 0;
    MUST(SOLVER(cusolverDnXsyevdx)(handle, params, jobz, range, uplo, N, t, on_device(a.device), a.ld, low,
                                   high, IL, IU, &found64, real, on_device(w.device), t, BUFFERS));
    narrow[0] = narrow[1] = 0, wide[0] = wide[1] = 0; /* limits are read at the call */
}

static void queue_sygvd(char type, int itype, int jobz, int uplo)
{
    int lwork;
    __typeof(cusolverDnDsygvd_bufferSize) *query = typed_symbol(type, "sygvd_bufferSize", "hegvd_bufferSize");
    __typeof(cusolverDnDsygvd) *call = typed_symbol(type, "sygvd", "hegvd");
    MUST(query(handle, itype, jobz, uplo, N, NULL, a.ld, NULL, b.ld, NULL, &lwork));
    buffers_make((size_t)lwork * element_bytes(type), 0);
    MUST(call(handle, itype, jobz, uplo, N, on_device(a.device), a.ld, on_device(b.device), b.ld,
              on_device(w.device), on_device(buffers.work), lwork, on_device(buffers.info)));
}

/* One of sygvdx with range I; floats are passed, so both prototypes are needed. */
static void queue_sygvdx(char type, int itype, int uplo)
{
    int lwork;
    const bool narrow = type == 's' || type == 'c';
    __typeof(cusolverDnDsygvdx_bufferSize) *query = typed_symbol(type, "sygvdx_bufferSize",
                                                                 "hegvdx_bufferSize");
    __typeof(cusolverDnSsygvdx_bufferSize) *query_narrow =
        typed_symbol(type, "sygvdx_bufferSize", "hegvdx_bufferSize");
    __typeof(cusolverDnDsygvdx) *call = typed_symbol(type, "sygvdx", "hegvdx");
    __typeof(cusolverDnSsygvdx) *call_narrow = typed_symbol(type, "sygvdx", "hegvdx");
    MUST(narrow ? query_narrow(handle, itype, 1, CUSOLVER_EIG_RANGE_I, uplo, N, NULL, a.ld, NULL, b.ld, 0, 0,
                               IL, IU, &found, NULL, &lwork)
                : query(handle, itype, 1, CUSOLVER_EIG_RANGE_I, uplo, N, NULL, a.ld, NULL, b.ld, 0, 0, IL, IU,
                        &found, NULL, &lwork));
    buffers_make((size_t)lwork * element_bytes(type), 0);
    MUST(narrow ? call_narrow(handle, itype, 1, CUSOLVER_EIG_RANGE_I, uplo, N, on_device(a.device), a.ld,
                              on_device(b.device), b.ld, 0, 0, IL, IU, &found, on_device(w.device),
                              on_device(buffers.work), lwork, on_device(buffers.info))
                : call(handle, itype, 1, CUSOLVER_EIG_RANGE_I, uplo, N, on_device(a.device), a.ld,
                       on_device(b.device), b.ld, 0, 0, IL, IU, &found, on_device(w.device),
                       on_device(buffers.work), lwork, on_device(buffers.info)));
}

/* Of a call just queued: INFO = 0, nothing landed before, gaps whole; reads the results. */
static bool finish(void)
{
    bool poisoned;
    const bool untouched = count_poison(&w) == N;
    const int info = buffers_finish(&poisoned);
    const bool gaps_a = matrix_get(&a), gaps_b = matrix_get(&b), gaps_w = matrix_get(&w);
    return info == 0 && poisoned && untouched && gaps_a && gaps_b && gaps_w;
}

static void test_syevd(char type, int uplo)
{
    double values[N], between, most = 0;
    const double limit = 200 * type_epsilon(type);
    bool all;
    make(type);
    put_triangle(&a, uplo);
    queue_syevd(type, 1, uplo, 0, 0, 0);
    all = finish() && residual(0, N) < limit && is_sorted(N);
    for (int i = 0; i < N; i++)
        values[i] = creal(w.values[i]);
    between = (values[4] + values[5]) / 2;
    tap_ok(all, "%c syevd uplo %d: vectors", type, uplo);

    memcpy(a.values, original.values, N * N * sizeof *a.values);
    put_triangle(&a, uplo);
    queue_syevd(type, 0, uplo, 0, 0, 0);
    all = finish() && count_poison(&a) == N * N;
    for (int i = 0; i < N; i++)
        most = fmax(most, fabs(creal(w.values[i]) - values[i]));
    tap_ok(all && most < limit, "%c syevd uplo %d: values, and A is poison", type, uplo);

    memcpy(a.values, original.values, N * N * sizeof *a.values);
    put_triangle(&a, uplo);
    queue_syevd(type, 1, uplo, CUSOLVER_EIG_RANGE_I, 0, 0);
    all = found64 != 0 && found64 != IU - IL + 1 && finish() && found64 == IU - IL + 1 &&
          residual(0, IU - IL + 1) < limit;
    tap_ok(all && fabs(creal(w.values[0]) - values[IL - 1]) < limit &&
               count_poison(&w) == N - (IU - IL + 1) && count_poison(&a) == N * (N - (IU - IL + 1)),
           "%c syevdx uplo %d: by index, the rest is poison", type, uplo);

    memcpy(a.values, original.values, N * N * sizeof *a.values);
    put_triangle(&a, uplo);
    queue_syevd(type, 0, uplo, CUSOLVER_EIG_RANGE_V, between, values[N - 1] + 1);
    all = finish() && found64 == N - 5 && count_poison(&a) == N * N && count_poison(&w) == 5;
    tap_ok(all && fabs(creal(w.values[0]) - values[5]) < limit, "%c syevdx uplo %d: by value", type, uplo);
    drop();
}

/* B's triangle is its Cholesky factor, the other one poison. */
static bool is_factor(int uplo, double limit)
{
    double complex product[N * N], factor[N * N];
    bool poison = count_poison(&b) == N * (N - 1) / 2;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            const bool inside = uplo ? i <= j : i >= j;
            factor[i + j * N] = inside ? *value_at(&b, i, j) : 0;
            poison = poison && (inside || is_poison(&b, i, j));
        }
    multiply(N, N, N, factor, N, uplo == 1, factor, N, uplo == 0, product, N);
    return poison && distance(product, original_b.values, N * N) < limit;
}

static void test_sygvd(char type, int itype, int uplo)
{
    const double limit = 40000 * type_epsilon(type);
    bool vectors, values;
    make(type);
    put_triangle(&a, uplo), put_triangle(&b, uplo);
    queue_sygvd(type, itype, 1, uplo);
    vectors = finish() && residual(itype, N) < limit && is_sorted(N) && is_factor(uplo, limit);
    const double smallest = creal(w.values[0]), third = creal(w.values[IL - 1]);
    memcpy(a.values, original.values, N * N * sizeof *a.values);
    memcpy(b.values, original_b.values, N * N * sizeof *b.values);
    put_triangle(&a, uplo), put_triangle(&b, uplo);
    queue_sygvd(type, itype, 0, uplo);
    values = finish() && fabs(creal(w.values[0]) - smallest) < limit && count_poison(&a) == N * N &&
             is_factor(uplo, limit);
    tap_ok(vectors && values, "%c sygvd itype %d uplo %d", type, itype, uplo);

    memcpy(a.values, original.values, N * N * sizeof *a.values);
    memcpy(b.values, original_b.values, N * N * sizeof *b.values);
    put_triangle(&a, uplo), put_triangle(&b, uplo);
    queue_sygvdx(type, itype, uplo);
    tap_ok(found == (int)SOLVER_POISON_INT && finish() && found == IU - IL + 1 &&
               residual(itype, found) < limit && fabs(creal(w.values[0]) - third) < limit &&
               count_poison(&a) == N * (N - found),
           "%c sygvdx itype %d uplo %d", type, itype, uplo);
    drop();
}

static int potrf(char type, int uplo, bool *poisoned)
{
    const int t = data_type(type);
    size_t device, host;
    MUST(SOLVER(cusolverDnXpotrf_bufferSize)(handle, params, uplo, N, t, NULL, b.ld, t, &device, &host));
    buffers_make(device, host);
    MUST(SOLVER(cusolverDnXpotrf)(handle, params, uplo, N, t, on_device(b.device), b.ld, t, BUFFERS));
    return buffers_finish(poisoned);
}

static void test_potrf(char type, int uplo)
{
    bool poisoned;
    make(type);
    put_triangle(&b, uplo);
    const int info = potrf(type, uplo, &poisoned);
    tap_ok(info == 0 && poisoned && matrix_get(&b) && is_factor(uplo, 4000 * type_epsilon(type)),
           "%c potrf uplo %d", type, uplo);
    memcpy(b.values, original_b.values, N * N * sizeof *b.values);
    *value_at(&b, 4, 4) = -1;
    put_triangle(&b, uplo);
    tap_ok(potrf(type, uplo, &poisoned) == 5 && count_poison(&b) == N * N,
           "%c potrf uplo %d: the minor's order", type, uplo);
    memcpy(b.values, original_b.values, N * N * sizeof *b.values);
    *value_at(&b, 4, 4) = -1;
    put_triangle(&b, uplo), put_triangle(&a, uplo);
    queue_sygvd(type, 1, 1, uplo);
    tap_ok(buffers_finish(&poisoned) == N + 5 && count_poison(&a) == N * N && count_poison(&w) == N &&
               count_poison(&b) == N * N,
           "%c sygvd uplo %d: INFO is n + the minor's order", type, uplo);
    drop();
}

UNIT_TEST(test_emulated_solver_eigen)
{
    open_solver();
    for (const char *type = types; *type; type++)
        for (int uplo = 0; uplo < 2; uplo++) {
            test_syevd(*type, uplo);
            for (int itype = 1; itype <= 3; itype++)
                test_sygvd(*type, itype, uplo);
            test_potrf(*type, uplo);
        }
    return tap_done();
}

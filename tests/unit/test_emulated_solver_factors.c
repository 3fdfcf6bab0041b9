/* The emulated cuSOLVER's potrs, potri, trtri, getrf, getrs: residuals, INFO, poison that goes on. */
#include "emulated_solver.h"
#include "unit_test.h"

enum { N = 12, NRHS = 3, M = 15 };

static const char types[] = "sdcz";

static int finish(void)
{
    bool poisoned;
    const int info = buffers_finish(&poisoned);
    return poisoned ? info : -1;
}

static int potrf(const struct matrix *a, int uplo)
{
    const int t = data_type(a->type);
    size_t device, host;
    MUST(SOLVER(cusolverDnXpotrf_bufferSize)(handle, params, uplo, N, t, NULL, a->ld, t, &device, &host));
    buffers_make(device, host);
    MUST(SOLVER(cusolverDnXpotrf)(handle, params, uplo, N, t, on_device(a->device), a->ld, t, BUFFERS));
    return finish();
}

static int potrs(const struct matrix *a, int uplo, const struct matrix *b)
{
    const int t = data_type(a->type);
    buffers_make(0, 0);
    MUST(SOLVER(cusolverDnXpotrs)(handle, params, uplo, N, NRHS, t, on_device(a->device), a->ld, t,
                                  on_device(b->device), b->ld, on_device(buffers.info)));
    return finish();
}

static int potri(const struct matrix *a, int uplo)
{
    int lwork;
    __typeof(cusolverDnDpotri_bufferSize) *query = typed_symbol(a->type, "potri_bufferSize",
                                                                "potri_bufferSize");
    __typeof(cusolverDnDpotri) *call = typed_symbol(a->type, "potri", "potri");
    MUST(query(handle, uplo, N, NULL, a->ld, &lwork));
    buffers_make((size_t)lwork * element_bytes(a->type), 0);
    MUST(call(handle, uplo, N, on_device(a->device), a->ld, on_device(buffers.work), lwork,
              on_device(buffers.info)));
    return finish();
}

static int trtri(const struct matrix *a, int uplo, int diag)
{
    const int t = data_type(a->type);
    size_t device, host;
    MUST(SOLVER(cusolverDnXtrtri_bufferSize)(handle, uplo, diag, N, t, NULL, a->ld, &device, &host));
    buffers_make(device, host);
    MUST(SOLVER(cusolverDnXtrtri)(handle, uplo, diag, N, t, on_device(a->device), a->ld, BUFFERS));
    return finish();
}

static int getrf(const struct matrix *a, CUdeviceptr pivots)
{
    const int t = data_type(a->type);
    size_t device, host;
    int64_t first;
    MUST(SOLVER(cusolverDnXgetrf_bufferSize)(handle, params, a->rows, a->columns, t, NULL, a->ld, t, &device,
                                             &host));
    buffers_make(device, host);
    MUST(SOLVER(cusolverDnXgetrf)(handle, params, a->rows, a->columns, t, on_device(a->device), a->ld,
                                  on_device(pivots), t, BUFFERS));
    emulated.peek(&first, pivots, sizeof first);
    return first == (int64_t)SOLVER_POISON_INT * 0x100000001 ? finish() : -1;
}

static int getrs(const struct matrix *a, int trans, CUdeviceptr pivots, const struct matrix *b)
{
    const int t = data_type(a->type);
    buffers_make(0, 0);
    MUST(SOLVER(cusolverDnXgetrs)(handle, params, trans, N, NRHS, t, on_device(a->device), a->ld,
                                  on_device(pivots), t, on_device(b->device), b->ld,
                                  on_device(buffers.info)));
    return finish();
}

/* The other triangle holds NaN. */
static void put_triangle(struct matrix *matrix, int uplo)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            if (uplo ? i > j : i < j)
                *value_at(matrix, i, j) = CMPLX(NAN, NAN);
    matrix_put(matrix);
}

/* Is only the other triangle poison? */
static bool is_triangle(const struct matrix *matrix, int uplo)
{
    return count_poison(matrix) == N * (N - 1) / 2 && is_poison(matrix, uplo ? N - 1 : 0, uplo ? 0 : N - 1);
}

/* op(A) X - B. */
static double solution_error(const double complex *a, int trans, const struct matrix *x,
                             const double complex *b)
{
    double complex product[N * NRHS], left[N * N];
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            left[i + j * N] = trans == 0 ? a[i + j * N] : trans == 1 ? a[j + i * N] : conj(a[j + i * N]);
    multiply(N, NRHS, N, left, N, false, x->values, N, false, product, N);
    return distance(product, b, N * NRHS);
}

/* A times its inverse, less the identity; `inverse` has one triangle, `kind` completes it: 'h' by the
 * conjugate, 'n' by zeros, 'u' by zeros and ones on the diagonal; A likewise for 'n' and 'u'. */
static double inverse_error(const double complex *original, const struct matrix *matrix, int uplo, char kind)
{
    double complex a[N * N], inverse[N * N], product[N * N], identity[N * N] = {0};
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            const int at = i + j * N;
            const bool inside = uplo ? i <= j : i >= j;
            a[at] = kind == 'h' || inside ? original[at] : 0;
            inverse[at] = inside ? *value_at(matrix, i, j) : kind == 'h' ? conj(*value_at(matrix, j, i)) : 0;
            if (i == j && kind == 'u')
                a[at] = inverse[at] = 1;
            identity[at] = i == j;
        }
    multiply(N, N, N, a, N, false, inverse, N, false, product, N);
    return distance(product, identity, N * N);
}

static void test_definite(char type, int uplo)
{
    double complex original[N * N], rhs[N * NRHS];
    const double limit = 2000 * type_epsilon(type);
    struct matrix a = matrix_make(type, N, N), b = matrix_make(type, N, NRHS);
    matrix_hermitian(&a, 2 * N), matrix_random(&b);
    memcpy(original, a.values, sizeof original), memcpy(rhs, b.values, sizeof rhs);
    put_triangle(&a, uplo), matrix_put(&b);
    const bool solved = potrf(&a, uplo) == 0 && potrs(&a, uplo, &b) == 0 && matrix_get(&b) &&
                        is_triangle(&a, uplo);
    tap_ok(solved && solution_error(original, 0, &b, rhs) < limit, "%c potrs uplo %d", type, uplo);
    const bool inverted = potri(&a, uplo) == 0 && matrix_get(&a) && is_triangle(&a, uplo);
    tap_ok(inverted && inverse_error(original, &a, uplo, 'h') < limit, "%c potri uplo %d", type, uplo);
    original[2 + 2 * N] = -1;
    memcpy(a.values, original, sizeof original);
    put_triangle(&a, uplo), matrix_put(&b);
    tap_ok(potrf(&a, uplo) == 3 && potrs(&a, uplo, &b) == 0 && count_poison(&b) == N * NRHS &&
               potri(&a, uplo) == 0 && count_poison(&a) == N * N,
           "%c potrs and potri uplo %d: a factor that failed gives poison", type, uplo);
    matrix_free(&a), matrix_free(&b);
}

static void test_triangle(char type, int uplo)
{
    double complex original[N * N];
    const double limit = 2000 * type_epsilon(type);
    struct matrix a = matrix_make(type, N, N);
    matrix_hermitian(&a, 2 * N);
    memcpy(original, a.values, sizeof original);
    put_triangle(&a, uplo);
    tap_ok(trtri(&a, uplo, 0) == 0 && matrix_get(&a) && is_triangle(&a, uplo) &&
               inverse_error(original, &a, uplo, 'n') < limit,
           "%c trtri uplo %d", type, uplo);
    for (int i = 0; i < N * N; i++)
        original[i] /= N;
    memcpy(a.values, original, sizeof original);
    for (int i = 0; i < N; i++)
        *value_at(&a, i, i) = NAN;
    put_triangle(&a, uplo);
    tap_ok(trtri(&a, uplo, 1) == 0 && matrix_get(&a) && is_triangle(&a, uplo) &&
               isnan(creal(*value_at(&a, 1, 1))) && inverse_error(original, &a, uplo, 'u') < limit,
           "%c trtri uplo %d: a unit diagonal is not referenced", type, uplo);
    original[4 + 4 * N] = 0;
    memcpy(a.values, original, sizeof original);
    put_triangle(&a, uplo);
    tap_ok(trtri(&a, uplo, 0) == 5 && count_poison(&a) == N * N, "%c trtri uplo %d: a singular one", type,
           uplo);
    matrix_free(&a);
}

static void test_general(char type)
{
    double complex original[N * N], rhs[N * NRHS];
    const double limit = 2000 * type_epsilon(type);
    struct matrix a = matrix_make(type, N, N), b = matrix_make(type, N, NRHS);
    CUdeviceptr pivots = allocate(N * sizeof(int64_t));
    matrix_random(&a), matrix_random(&b);
    memcpy(original, a.values, sizeof original), memcpy(rhs, b.values, sizeof rhs);
    matrix_put(&a);
    bool solved = getrf(&a, pivots) == 0 && count_poison(&a) == 0;
    for (int trans = 0; trans < 3; trans++) {
        memcpy(b.values, rhs, sizeof rhs);
        matrix_put(&b);
        solved = solved && getrs(&a, trans, pivots, &b) == 0 && matrix_get(&b) &&
                 solution_error(original, trans, &b, rhs) < limit;
    }
    tap_ok(solved, "%c getrf, getrs", type);
    MUST(cuda.memory_free(pivots));
    pivots = allocate(N * sizeof(int64_t));
    memcpy(a.values, original, sizeof original);
    for (int i = 0; i < N; i++)
        *value_at(&a, i, 6) = 0;
    matrix_put(&a), matrix_put(&b);
    tap_ok(getrf(&a, pivots) == 7 && getrs(&a, 0, pivots, &b) == 0 && count_poison(&b) == N * NRHS,
           "%c getrf, getrs: a zero pivot", type);
    MUST(cuda.memory_free(pivots));
    matrix_free(&a), matrix_free(&b);
}

/* More rows than columns, or fewer: P L U. */
static void test_rectangle(char type, int m, int n)
{
    double complex lower[M * M] = {0}, upper[M * M] = {0}, product[M * M];
    int64_t swaps[N];
    const int least = m < n ? m : n;
    struct matrix a = matrix_make(type, m, n), original = matrix_make(type, m, n);
    CUdeviceptr pivots = allocate(sizeof swaps);
    matrix_random(&a);
    memcpy(original.values, a.values, (size_t)(m * n) * sizeof *a.values);
    matrix_put(&a);
    const bool good = getrf(&a, pivots) == 0 && matrix_get(&a);
    emulated.peek(swaps, pivots, sizeof swaps);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            if (i > j && j < least)
                lower[i + j * m] = *value_at(&a, i, j);
            if (i == j)
                lower[i + j * m] = 1;
            if (i <= j && i < least)
                upper[i + j * least] = *value_at(&a, i, j);
        }
    multiply(m, n, least, lower, m, false, upper, least, false, product, m);
    for (int i = least - 1; i >= 0; i--)
        for (int j = 0; j < n && good; j++) {
            const double complex kept = product[i + j * m];
            product[i + j * m] = product[swaps[i] - 1 + j * m];
            product[swaps[i] - 1 + j * m] = kept;
        }
    tap_ok(good && distance(product, original.values, (size_t)(m * n)) < 500 * type_epsilon(type),
           "%c getrf %d x %d", type, m, n);
    MUST(cuda.memory_free(pivots));
    matrix_free(&a), matrix_free(&original);
}

UNIT_TEST(test_emulated_solver_factors)
{
    open_solver();
    for (const char *type = types; *type; type++) {
        for (int uplo = 0; uplo < 2; uplo++) {
            test_definite(*type, uplo);
            test_triangle(*type, uplo);
        }
        test_general(*type);
        test_rectangle(*type, M, N);
        test_rectangle(*type, N, M);
    }
    return tap_done();
}

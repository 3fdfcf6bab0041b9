/* The emulated cuSOLVER's sytrd, orgtr, geqrf, orgqr, ormqr: products, what is undefined. */
#include "emulated_solver.h"
#include "unit_test.h"

enum { N = 11, M = 17, COLUMNS = 5 };

static const char types[] = "sdcz";

/* A call of the 32-bit interface, its buffers made of lwork elements: its INFO, or -1 when INFO was told
 * before the wait. */
static int finish(void)
{
    bool poisoned;
    const int info = buffers_finish(&poisoned);
    return poisoned ? info : -1;
}
#define WORK(type, query)                                                      \
    do {                                                                       \
        MUST(query);                                                           \
        buffers_make((size_t)lwork * element_bytes(type), 0);                  \
    } while (0)
#define WORK_ARGUMENTS on_device(buffers.work), lwork, on_device(buffers.info)

static int sytrd(const struct matrix *a, int uplo, const struct matrix *d, const struct matrix *e,
                 const struct matrix *tau)
{
    int lwork;
    __typeof(cusolverDnDsytrd_bufferSize) *query = typed_symbol(a->type, "sytrd_bufferSize",
                                                                "hetrd_bufferSize");
    __typeof(cusolverDnDsytrd) *call = typed_symbol(a->type, "sytrd", "hetrd");
    WORK(a->type, query(handle, uplo, N, NULL, a->ld, NULL, NULL, NULL, &lwork));
    MUST(call(handle, uplo, N, on_device(a->device), a->ld, on_device(d->device), on_device(e->device),
              on_device(tau->device), WORK_ARGUMENTS));
    return count_poison(d) == N && count_poison(e) == N - 1 && count_poison(tau) == N - 1 ? finish() : -1;
}

static int orgtr(const struct matrix *a, int uplo, const struct matrix *tau)
{
    int lwork;
    __typeof(cusolverDnDorgtr_bufferSize) *query = typed_symbol(a->type, "orgtr_bufferSize",
                                                                "ungtr_bufferSize");
    __typeof(cusolverDnDorgtr) *call = typed_symbol(a->type, "orgtr", "ungtr");
    WORK(a->type, query(handle, uplo, N, NULL, a->ld, NULL, &lwork));
    MUST(call(handle, uplo, N, on_device(a->device), a->ld, on_device(tau->device), WORK_ARGUMENTS));
    return finish();
}

static int geqrf(const struct matrix *a, const struct matrix *tau)
{
    const int t = data_type(a->type);
    size_t device, host;
    MUST(SOLVER(cusolverDnXgeqrf_bufferSize)(handle, params, a->rows, a->columns, t, NULL, a->ld, t, NULL, t,
                                             &device, &host));
    buffers_make(device, host);
    MUST(SOLVER(cusolverDnXgeqrf)(handle, params, a->rows, a->columns, t, on_device(a->device), a->ld, t,
                                  on_device(tau->device), t, BUFFERS));
    return count_poison(tau) == tau->rows ? finish() : -1;
}

static int orgqr(const struct matrix *a, const struct matrix *tau)
{
    int lwork;
    __typeof(cusolverDnDorgqr_bufferSize) *query = typed_symbol(a->type, "orgqr_bufferSize",
                                                                "ungqr_bufferSize");
    __typeof(cusolverDnDorgqr) *call = typed_symbol(a->type, "orgqr", "ungqr");
    WORK(a->type, query(handle, a->rows, a->columns, tau->rows, NULL, a->ld, NULL, &lwork));
    MUST(call(handle, a->rows, a->columns, tau->rows, on_device(a->device), a->ld, on_device(tau->device),
              WORK_ARGUMENTS));
    return finish();
}

static int ormqr(const struct matrix *a, int side, int trans, const struct matrix *tau,
                 const struct matrix *c)
{
    int lwork;
    __typeof(cusolverDnDormqr_bufferSize) *query = typed_symbol(a->type, "ormqr_bufferSize",
                                                                "unmqr_bufferSize");
    __typeof(cusolverDnDormqr) *call = typed_symbol(a->type, "ormqr", "unmqr");
    WORK(a->type,
         query(handle, side, trans, c->rows, c->columns, tau->rows, NULL, a->ld, NULL, NULL, c->ld, &lwork));
    MUST(call(handle, side, trans, c->rows, c->columns, tau->rows, on_device(a->device), a->ld,
              on_device(tau->device), on_device(c->device), c->ld, WORK_ARGUMENTS));
    return finish();
}

/* op(Q) C or C op(Q) of the full Q: how far C, which is on the device, is from it. */
static double product_error(const struct matrix *q, int side, bool conjugate, const double complex *before,
                            const struct matrix *c)
{
    double complex product[M * M];
    if (side == 0)
        multiply(c->rows, c->columns, c->rows, q->values, q->rows, conjugate, before, c->rows, false, product,
                 c->rows);
    else
        multiply(c->rows, c->columns, c->columns, before, c->rows, false, q->values, q->rows, conjugate,
                 product, c->rows);
    return matrix_get(c) ? distance(product, c->values, (size_t)(c->rows * c->columns)) : INFINITY;
}

/* Applied both ways on both sides: the products before Q itself is made; 0 all INFO, else -1. */
enum { WAYS = 4 };
struct applied {
    struct matrix c[WAYS];
    double complex before[WAYS][M * M];
};

static bool apply(struct applied *applied, const struct matrix *a, int order, const struct matrix *tau)
{
    const int transposed = a->type == 's' || a->type == 'd' ? 1 : 2;
    bool good = true;
    for (int way = 0; way < WAYS; way++) {
        const int side = way / 2, trans = way % 2 ? transposed : 0;
        struct matrix *c = &applied->c[way];
        *c = side == 0 ? matrix_make(a->type, order, COLUMNS) : matrix_make(a->type, COLUMNS, order);
        matrix_random(c);
        memcpy(applied->before[way], c->values, sizeof(double complex[COLUMNS]) * (size_t)order);
        matrix_put(c);
        good = good && ormqr(a, side, trans, tau, c) == 0;
    }
    return good;
}

static double applied_error(struct applied *applied, const struct matrix *q)
{
    double most = 0;
    for (int way = 0; way < WAYS; way++) {
        most = fmax(most, product_error(q, way / 2, way % 2, applied->before[way], &applied->c[way]));
        matrix_free(&applied->c[way]);
    }
    return most;
}

/* Q^H A Q - T. */
static double tridiagonal_error(const struct matrix *q, const double complex *original,
                                const struct matrix *d, const struct matrix *e)
{
    double complex half[N * N], t[N * N], expected[N * N] = {0};
    multiply(N, N, N, original, N, false, q->values, N, false, half, N);
    multiply(N, N, N, q->values, N, true, half, N, false, t, N);
    for (int i = 0; i < N; i++) {
        expected[i + i * N] = d->values[i];
        if (i < N - 1)
            expected[i + 1 + i * N] = expected[i + (i + 1) * N] = e->values[i];
    }
    return distance(t, expected, N * N);
}

static void test_tridiagonal(char type, int uplo)
{
    double complex original[N * N];
    struct matrix a = matrix_make(type, N, N), d = matrix_make(real_type(type), N, 1),
                  e = matrix_make(real_type(type), N - 1, 1), tau = matrix_make(type, N - 1, 1);
    const double limit = 300 * type_epsilon(type);
    matrix_hermitian(&a, 0);
    memcpy(original, a.values, sizeof original);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            if (uplo ? i > j : i < j)
                *value_at(&a, i, j) = NAN;
    matrix_put(&a);
    const bool reduced = sytrd(&a, uplo, &d, &e, &tau) == 0 && matrix_get(&d) && matrix_get(&e) &&
                         matrix_get(&tau);
    tap_ok(reduced && count_poison(&a) == N * (N - 1) / 2 &&
               is_poison(&a, uplo ? N - 1 : 0, uplo ? 0 : N - 1),
           "%c sytrd uplo %d: the other triangle is poison", type, uplo);
    const bool made = orgtr(&a, uplo, &tau) == 0 && matrix_get(&a);
    tap_ok(made && tridiagonal_error(&a, original, &d, &e) < limit, "%c orgtr uplo %d", type, uplo);
    matrix_free(&a), matrix_free(&d), matrix_free(&e), matrix_free(&tau);
}

/* Q of `rows` columns is made from the N reflectors that A holds. */
static struct matrix make_square(const struct matrix *a)
{
    struct matrix q = matrix_make(a->type, a->rows, a->rows);
    for (int j = 0; j < a->columns; j++)
        for (int i = 0; i < a->rows; i++)
            *value_at(&q, i, j) = i > j ? *value_at(a, i, j) : CMPLX(NAN, NAN);
    matrix_put(&q);
    return q;
}

static void test_qr(char type)
{
    static struct applied applied;
    double complex original[M * N], product[M * N], factor[M * N] = {0};
    struct matrix a = matrix_make(type, M, N), tau = matrix_make(type, N, 1);
    const double limit = 300 * type_epsilon(type);
    matrix_random(&a);
    memcpy(original, a.values, sizeof original);
    matrix_put(&a);
    const bool factored = geqrf(&a, &tau) == 0 && matrix_get(&a) && matrix_get(&tau);
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++)
            factor[i + j * M] = *value_at(&a, i, j);
    const bool multiplied = apply(&applied, &a, M, &tau);
    struct matrix q = make_square(&a);
    const bool made = orgqr(&q, &tau) == 0 && matrix_get(&q);
    multiply(M, N, M, q.values, M, false, factor, M, false, product, M);
    tap_ok(factored && made && distance(product, original, M * N) < limit, "%c geqrf, orgqr", type);
    tap_ok(multiplied && applied_error(&applied, &q) < limit, "%c ormqr", type);
    matrix_free(&a), matrix_free(&q), matrix_free(&tau);
}

UNIT_TEST(test_emulated_solver_reflectors)
{
    open_solver();
    for (const char *type = types; *type; type++) {
        test_tridiagonal(*type, 0);
        test_tridiagonal(*type, 1);
        test_qr(*type);
    }
    return tap_done();
}

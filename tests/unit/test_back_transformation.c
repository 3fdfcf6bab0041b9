/* Products with Q of a reduction to tridiagonal form, from both sides and both ways, beside one reflector after
 * the other on the host: orders around the number of reflectors that are applied together; reflectors that are
 * the identity; what belongs to nobody is neither read nor written. */
#include "emulated_lane.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"
#include "lapack/eigensolver/own_eigen.h"
#include "unit_test.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 3, OTHERS = 5, ORDER_MOST = 2 * BACK_WIDTH + 3 };
static const double BOUND = 4; /* in units of the root of n, times eps */

#if defined __SANITIZE_THREAD__
static const int order_limit = BACK_WIDTH + 1;
#else
static const int order_limit = ORDER_MOST;
#endif

static struct solver_handle handle;
static double complex vectors[ORDER_MOST][ORDER_MOST], taus[ORDER_MOST]; /* of reflector i: v, from row 0 on */
static double complex before[ORDER_MOST * OTHERS], expected[ORDER_MOST * OTHERS];

struct problem {
    enum blas_type type;
    enum blas_uplo uplo;
    bool right, adjoint;
    int n;
};

static double random_number(void)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / (1 << 23) - 1;
}

static double complex random_element(enum blas_type type)
{
    const double real = random_number(), imaginary = random_number();
    const double complex number = blas_scalar_parts(type) == 2 ? CMPLX(real, imaginary) : real;
    return blas_is_single(type) ? (double complex)(float complex)number : number;
}

static double real_of(enum blas_type type, const void *numbers, size_t place)
{
    return blas_is_single(type) ? (double)((const float *)numbers)[place] : ((const double *)numbers)[place];
}

static void put_real(enum blas_type type, void *numbers, size_t place, double value)
{
    if (blas_is_single(type))
        ((float *)numbers)[place] = (float)value;
    else
        ((double *)numbers)[place] = value;
}

static double complex get(enum blas_type type, const void *elements, size_t place)
{
    return blas_scalar_parts(type) == 2
               ? CMPLX(real_of(type, elements, 2 * place), real_of(type, elements, 2 * place + 1))
               : real_of(type, elements, place);
}

static void put(enum blas_type type, void *elements, size_t place, double complex value)
{
    const int parts = blas_scalar_parts(type);
    put_real(type, elements, (size_t)parts * place, creal(value));
    if (parts == 2)
        put_real(type, elements, 2 * place + 1, cimag(value));
}

static CUdeviceptr send(const void *elements, size_t bytes)
{
    CUdeviceptr address = 0;
    if (device_allocate(emulated_device, bytes > 0 ? bytes : 1, &address) != STATUS_OK)
        exit(1);
    device_poke(address, elements, bytes);
    return address;
}

/* Unitary reflectors, every fifth the identity; v is 1 where it begins (or ends, of an upper triangle). */
static void make_reflectors(const struct problem *problem)
{
    const bool upper = problem->uplo == UPLO_UPPER;
    memset(vectors, 0, sizeof vectors);
    for (int i = 0; i < problem->n - 1; i++) {
        const int one = upper ? i : i + 1;
        double square = 0;
        for (int row = upper ? 0 : one; row < (upper ? one + 1 : problem->n); row++) {
            vectors[i][row] = row == one ? 1 : random_element(problem->type) / 4;
            if (blas_is_single(problem->type))
                vectors[i][row] = (double complex)(float complex)vectors[i][row];
            square += creal(vectors[i][row] * conj(vectors[i][row]));
        }
        const double angle = 3 * random_number();
        const double complex turn = blas_scalar_parts(problem->type) == 2 ? cexp(CMPLX(0, angle)) : -1;
        taus[i] = i % 5 == 4 ? 0 : (1 - turn) / square;
    }
}

/* A as sytrd leaves it, with NaN wherever it has no reflectors. */
static CUdeviceptr send_reflectors(const struct problem *problem)
{
    const size_t lda = (size_t)problem->n + GAP,
                 bytes = lda * (size_t)problem->n * blas_element_bytes(problem->type);
    unsigned char *const elements = malloc(bytes);
    const bool upper = problem->uplo == UPLO_UPPER;
    memset(elements, 0xff, bytes);
    for (int i = 0; i < problem->n - 1; i++)
        for (int row = 0; row < problem->n; row++)
            if (upper ? row < i : row > i + 1)
                put(problem->type, elements, (size_t)row + (size_t)(upper ? i + 1 : i) * lda, vectors[i][row]);
    const CUdeviceptr a = send(elements, bytes);
    free(elements);
    return a;
}

/* One vector of `before`, the conjugate of a row where Q comes from the right. */
static double complex *vector_of(double complex *c, int number) { return c + (size_t)number * ORDER_MOST; }

static void apply(const struct problem *problem, int i, bool adjoint, double complex *c)
{
    double complex sum = 0;
    for (int row = 0; row < problem->n; row++)
        sum += conj(vectors[i][row]) * c[row];
    for (int row = 0; row < problem->n; row++)
        c[row] -= (adjoint ? conj(taus[i]) : taus[i]) * sum * vectors[i][row];
}

/* C Q is the adjoint of Q' C'. */
static void make_expected(const struct problem *problem)
{
    const bool adjoint = problem->right != problem->adjoint,
               last_first = (problem->uplo == UPLO_UPPER) == adjoint;
    memcpy(expected, before, sizeof expected);
    for (int other = 0; other < OTHERS; other++)
        for (int i = 0; i < problem->n - 1; i++)
            apply(problem, last_first ? problem->n - 2 - i : i, adjoint, vector_of(expected, other));
}

static size_t place_of(const struct problem *problem, int row, int other)
{
    return problem->right ? (size_t)other + (size_t)row * (OTHERS + GAP)
                          : (size_t)row + (size_t)other * (size_t)(problem->n + GAP);
}

static size_t c_elements(const struct problem *problem)
{
    return problem->right ? (size_t)problem->n * (OTHERS + GAP) : (size_t)(problem->n + GAP) * OTHERS;
}

static void make_c(const struct problem *problem, void *elements)
{
    memset(elements, 0xff, c_elements(problem) * blas_element_bytes(problem->type));
    for (int other = 0; other < OTHERS; other++)
        for (int row = 0; row < problem->n; row++) {
            const double complex value = random_element(problem->type);
            vector_of(before, other)[row] = problem->right ? conj(value) : value;
            put(problem->type, elements, place_of(problem, row, other), value);
        }
}

/* The largest difference from what is expected; takes what it has looked at away. */
static double difference(const struct problem *problem, void *elements)
{
    const size_t element = blas_element_bytes(problem->type);
    double largest = 0;
    for (int other = 0; other < OTHERS; other++)
        for (int row = 0; row < problem->n; row++) {
            const size_t place = place_of(problem, row, other);
            const double complex value = get(problem->type, elements, place),
                                 wanted = vector_of(expected, other)[row];
            const double apart = cabs((problem->right ? conj(value) : value) - wanted);
            largest = isnan(apart) ? INFINITY : fmax(largest, apart);
            memset((unsigned char *)elements + place * element, 0xff, element);
        }
    return largest;
}

static bool is_poison(const unsigned char *bytes, size_t count)
{
    size_t i = 0;
    while (i < count && bytes[i] == 0xff)
        i++;
    return i == count;
}

static bool is_good(const struct problem *problem)
{
    const enum blas_type type = problem->type;
    const size_t element = blas_element_bytes(type), bytes = c_elements(problem) * element;
    unsigned char tau[ORDER_MOST * 16], *const c = malloc(bytes);
    make_reflectors(problem);
    make_c(problem, c);
    make_expected(problem);
    for (int i = 0; i < problem->n - 1; i++)
        put(type, tau, (size_t)i, taus[i]);
    struct back_transformation work = {.type = type,
                                       .uplo = problem->uplo,
                                       .n = problem->n,
                                       .a = send_reflectors(problem),
                                       .tau = send(tau, (size_t)(problem->n - 1) * element),
                                       .lda = problem->n + GAP,
                                       .side = {.right = problem->right,
                                                .adjoint = problem->adjoint,
                                                .c = {send(c, bytes), problem->right ? OTHERS + GAP
                                                                                     : problem->n + GAP},
                                                .others = OTHERS}};
    CUdeviceptr workspace = 0;
    bool good = device_allocate(emulated_device, back_transformation_workspace(&work) + 1, &workspace) ==
                    STATUS_OK &&
                back_transformation_queue(&handle, &work, workspace) == STATUS_OK &&
                driver()->stream_synchronise(handle.stream) == CUDA_SUCCESS &&
                device_peek(c, work.side.c.address, bytes);
    const double apart = difference(problem, c), eps = blas_is_single(type) ? 0x1p-23 : 0x1p-52,
                 bound = BOUND * sqrt(problem->n) * eps;
    good = good && apart <= bound && is_poison(c, bytes);
    if (!good)
        printf("# %g from what is expected; %g may be\n", apart, bound);
    const CUdeviceptr all[] = {workspace, work.a, work.tau, work.side.c.address};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(emulated_device, all[i]); /* which looks for writes beside it */
    free(c);
    return good;
}

static void test_order(enum blas_type type, int n)
{
    bool good = true;
    for (int way = 0; way < 8; way++) {
        const struct problem problem = {.type = type, .uplo = way & 1 ? UPLO_UPPER : UPLO_LOWER,
                                        .right = way & 2, .adjoint = way & 4, .n = n};
        if (!is_good(&problem)) {
            printf("# %s%s%s\n", way & 1 ? "upper" : "lower", way & 2 ? ", right" : "",
                   way & 4 ? ", adjoint" : "");
            good = false;
        }
    }
    tap_ok(good, "%c, n = %d: both triangles, sides and ways", "sdcz"[type], n);
}

UNIT_TEST(test_back_transformation)
{
    static const int orders[] = {1, 2, 3, 33, BACK_WIDTH, BACK_WIDTH + 1, BACK_WIDTH + 2, ORDER_MOST};
    const struct solver_library *library;
    struct lane *const lane = emulated_lane();
    if (solver_library_open(emulated_device, &library) != STATUS_OK ||
        solver_handle_create(library, lane->stream, &handle) != STATUS_OK)
        tap_skip_all("no cuSOLVER");
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            if (orders[i] <= order_limit)
                test_order(type, orders[i]);
    solver_handle_destroy(&handle);
    lane_release(lane);
    return tap_done();
}

/* wsymv on operands that plain random ones do not cover: sums that need all of both
 * doubles and are still exact, so that integer arithmetic tells every bit; sums that
 * cancel, that never change sign, and over many orders of magnitude (the gauge, where
 * configure found MPFR); overflow. Argument: the seed. */
#include "contract_model.h"
#include "kernel_cases.h"

#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t sizes[] = {1, 5, 31, 64, 97, 300};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

struct element {
    double hi, lo;
};

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = random_state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A whole number of -limit..limit. */
static int64_t random_integer(int64_t limit)
{
    return (int64_t)(random_bits() % (uint64_t)(2 * limit + 1)) - limit;
}

/* 0 <= value < 1. */
static double random_fraction(void)
{
    return ldexp((double)(random_bits() >> 11), -53);
}

/* Makes an element; `index` of its row (matrix: of the column that it is in). */
typedef struct element element_maker(bool in_matrix, int64_t index);

/* hi an integer, lo a few units of 2^-60: 90 bits of a sum are exact. */
static struct element make_exact(bool in_matrix, int64_t index)
{
    (void)index;
    const double hi = (double)random_integer(1000);
    return (struct element){hi, in_matrix && hi != 0 ? ldexp((double)random_integer(127), -60) : 0};
}

static struct element with_low(double hi)
{
    int exponent;
    frexp(hi, &exponent);
    return (struct element){hi, ldexp(2 * random_fraction() - 1, exponent - 54)};
}

static struct element make_positive(bool in_matrix, int64_t index)
{
    (void)in_matrix, (void)index;
    struct element element = with_low(0.5 + random_fraction() / 2);
    element.lo = fabs(element.lo);
    return element;
}

/* Neighbours in a row agree in hi, neighbours in x are opposite: the hi parts of a sum cancel. */
static struct element make_cancelling(bool in_matrix, int64_t index)
{
    if (in_matrix)
        return (struct element){1, ldexp(random_fraction() - 0.5, -53)};
    return (struct element){index & 1 ? -1.25 : 1.25, ldexp(random_fraction() - 0.5, -53)};
}

static struct element make_spread(bool in_matrix, int64_t index)
{
    (void)in_matrix, (void)index;
    const double magnitude = ldexp(0.5 + random_fraction() / 2, (int)random_integer(200));
    return with_low(random_bits() & 1 ? magnitude : -magnitude);
}

/* Rows whose sums overflow upwards, downwards, and not. */
static struct element make_huge(bool in_matrix, int64_t index)
{
    static const double factors[] = {0x1.8p1023, -0x1.8p1023, 1};
    if (in_matrix)
        return (struct element){1, 0};
    return (struct element){factors[index % 3], 0};
}

static int64_t y_offset(const struct operands *operands, int64_t i)
{
    const struct blas_vector *y = &operands->call.y;
    return y->increment > 0 ? i * y->increment : (i + 1 - y->length) * y->increment;
}

/* The case's operands with elements of this kind, y in order in `y`. */
static void make_operands(const struct kernel_case *kernel_case, element_maker *make,
                          struct operands *operands)
{
    static const struct placement placement = {3, 1, 1, 1, 2};
    operands_make(kernel_case, &placement, operands);
    struct blas_call *call = &operands->call;
    double *a = call->a.pointer, *x = call->x.pointer, *y = call->y.pointer;
    for (int64_t j = 0; j < call->n; j++) {
        const bool lower = call->uplo == UPLO_LOWER;
        for (int64_t i = lower ? j : 0; i < (lower ? call->n : j + 1); i++) {
            const struct element element = make(true, j);
            memcpy(a + 2 * (i + j * call->a.ld), &element, sizeof element);
        }
        struct element element = make(false, j);
        memcpy(x + 2 * j, &element, sizeof element);
        element = make(false, j + 1);
        memcpy(y + 2 * y_offset(operands, j), &element, sizeof element);
    }
}

static bool run(struct lane *lane, const struct operands *operands, struct element *result)
{
    unsigned char *buffer = malloc(operands->y.size);
    if (!buffer)
        abort();
    const bool good = operands_run(lane, operands, buffer) == STATUS_OK;
    if (good)
        operands_result(operands, buffer, result);
    free(buffer);
    return good;
}

/* In units of 2^-60. */
static __int128 integer_of(const double *parts)
{
    return (__int128)ldexp(parts[0], 60) + (__int128)ldexp(parts[1], 60);
}

/* A x - y in integers, element i. */
static __int128 integer_result(const struct operands *operands, int64_t i)
{
    const struct blas_call *call = &operands->call;
    const double *a = call->a.pointer, *x = call->x.pointer, *y = call->y.pointer;
    __int128 sum = -integer_of(y + 2 * y_offset(operands, i));
    for (int64_t j = 0; j < call->n; j++) {
        const bool stored = call->uplo == UPLO_LOWER ? i >= j : i <= j;
        sum += integer_of(a + 2 * (stored ? i + j * call->a.ld : j + i * call->a.ld)) * (int64_t)x[2 * j];
    }
    return sum;
}

static void test_exact(struct lane *lane)
{
    size_t elements = 0, wrong = 0, low = 0;
    for (int turn = 0; turn < 2 * SIZE_COUNT; turn++) {
        const struct kernel_case kernel_case = {.family = FAMILY_SYMV, .type = TYPE_W, .uplo = turn & 1,
                                                .n = sizes[turn / 2], .alpha = {1, 0}, .beta = {-1, 0}};
        struct element result[300] = {{0}};
        struct operands operands;
        make_operands(&kernel_case, make_exact, &operands);
        const bool ran = run(lane, &operands, result);
        for (int64_t i = 0; i < kernel_case.n; i++, elements++) {
            wrong += !ran || integer_of(&result[i].hi) != integer_result(&operands, i);
            low += result[i].lo != 0;
        }
        operands_free(&operands);
    }
    tap_ok(wrong == 0 && low > elements / 2, "exact sums are exact: %zu of %zu wrong, %zu have a lo", wrong,
           elements, low);
}

static void test_gauge(struct lane *lane, const char *what, element_maker *make)
{
    double worst = 0;
    bool good = true, normal = true;
    for (int turn = 0; turn < 2 * SIZE_COUNT; turn++) {
        struct kernel_case kernel_case = {.family = FAMILY_SYMV, .type = TYPE_W, .uplo = turn & 1,
                                          .n = sizes[turn / 2]};
        kernel_case_scalars(&kernel_case, turn + turn / 2);
        struct element result[300] = {{0}}, model[300] = {{0}};
        struct operands operands;
        make_operands(&kernel_case, make, &operands);
        contract_model(&operands.call, model);
        good &= run(lane, &operands, result) && results_equal(TYPE_W, model, result, kernel_case.n);
        for (int64_t i = 0; i < kernel_case.n; i++)
            normal &= result[i].hi + result[i].lo == result[i].hi;
        if (contract_model_has_gauge(TYPE_W))
            worst = fmax(worst, contract_model_gauge(&operands.call, result));
        operands_free(&operands);
    }
    tap_ok(good, "%s: the bits of the contract", what);
    tap_ok(normal, "%s: hi is the nearest double", what);
    if (contract_model_has_gauge(TYPE_W))
        tap_ok(worst < 16, "%s: worst error %.2f eps, limit 16", what, worst);
    else
        tap_skip(what, "accuracy is measured with MPFR, which configure did not find (Debian: libmpfr-dev)");
}

/* Ones times a huge x: an Inf beyond the largest double, never a NaN. */
static void test_overflow(struct lane *lane)
{
    struct kernel_case kernel_case = {.family = FAMILY_SYMV, .type = TYPE_W, .n = 1, .alpha = {4, 0},
                                      .beta = {0, 0}};
    bool good = true;
    for (int64_t sign = 0; sign < 3; sign++) {
        struct operands operands;
        struct element result = {0, 0};
        make_operands(&kernel_case, make_huge, &operands);
        const struct element x = make_huge(false, sign);
        memcpy(operands.call.x.pointer, &x, sizeof x);
        good &= run(lane, &operands, &result) && result.lo == 0;
        good &= sign == 0 ? result.hi == INFINITY : sign == 1 ? result.hi == -INFINITY : result.hi == 4;
        operands_free(&operands);
    }
    tap_ok(good, "a product that overflows is an Inf of its sign, with lo = 0");
    kernel_case.n = 64, kernel_case.alpha[0] = 1;
    struct operands operands;
    struct element result[64] = {{0}};
    make_operands(&kernel_case, make_huge, &operands);
    for (int64_t j = 0; j < 64; j++)
        ((double *)operands.call.x.pointer)[2 * j] = 0x1.8p1023;
    good = run(lane, &operands, result);
    for (int i = 0; i < 64; i++)
        good &= result[i].hi == INFINITY && result[i].lo == 0;
    tap_ok(good, "a sum that overflows is an Inf, with lo = 0");
    operands_free(&operands);
}

int main(int argument_count, char **arguments)
{
    const unsigned seed = argument_count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 1;
    struct device *device;
    struct device_scope scope;
    struct lane *lane;
    if (device_wake(&device) != STATUS_OK)
        tap_skip_all("no device, not even an emulated one");
    if (device_enter(device, &scope) != STATUS_OK || lane_acquire(device, &lane) != STATUS_OK)
        return 1;
    printf("# seed %u\n", seed);
    random_state = seed;
    test_exact(lane);
    test_gauge(lane, "sums of one sign", make_positive);
    test_gauge(lane, "sums that cancel", make_cancelling);
    test_gauge(lane, "400 orders of two", make_spread);
    test_overflow(lane);
    lane_release(lane);
    device_leave(device, &scope);
    return tap_done();
}

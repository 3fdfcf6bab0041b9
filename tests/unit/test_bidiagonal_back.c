/* Products with Q and P of a reduction to bidiagonal form, from both sides and both ways, beside one reflector after
 * the other on the host: orders around the number of reflectors that are applied together; what belongs to nobody
 * is neither read nor written. */
#include "bidiagonal_problem.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"
#include "lapack/singular/own_singular.h"
#include "unit_test.h"

enum { OTHERS = 4 };
static const double BOUND = 4; /* in units of the root of the order, times eps */

struct way {
    bool of_p, right, adjoint;
};

/* Vectors of length one, times what makes them unitary, in place of a reduction's; all else of A is NaN. */
static void make_reflectors(const struct problem *problem, struct result *result)
{
    const int lda = problem->m + GAP;
    for (int part = 0; part < PART_COUNT; part++)
        memset(result->part[part], 0xff, result->bytes[part]);
    for (int of_p = 0; of_p < 2; of_p++) {
        const struct reflectors all = reflectors_of(problem, of_p);
        for (int i = 0; i < all.count; i++) {
            double square = 1;
            for (int row = i + all.from + 1; row < all.order; row++) {
                const size_t place = (size_t)(of_p ? i + row * lda : row + i * lda);
                put_element(problem->type, result->part[PART_A], place, random_element(problem->type) / 4);
                square += pow(cabs(element_at(problem->type, result->part[PART_A], place)), 2);
            }
            const double complex turn = blas_scalar_parts(problem->type) == 2 ? cexp(CMPLX(0, i)) : -1;
            put_element(problem->type, result->part[of_p ? PART_TAUP : PART_TAUQ], (size_t)i,
                        i % 5 == 4 ? 0 : (1 - turn) / square);
        }
    }
    for (int part = 0; part < PART_COUNT; part++)
        device_poke(result->there[part], result->part[part], result->bytes[part]);
}

/* C Q is the adjoint of Q'C': one vector of C, of a row its conjugate, after all reflectors. */
static void apply_all(const struct problem *problem, const struct result *result, struct way way,
                      double complex *c)
{
    const struct reflectors all = reflectors_of(problem, way.of_p);
    double complex *const v = malloc((size_t)all.order * sizeof *v);
    const bool adjoint = way.right != way.adjoint;
    for (int i = 0; i < all.count; i++) {
        const int number = adjoint ? i : all.count - 1 - i;
        const double complex tau = reflector_at(problem, result, &all, number, v);
        reflect(&all, number, v, adjoint ? conj(tau) : tau, c, 1);
    }
    free(v);
}

static size_t place_of(struct way way, int order, int row, int other)
{
    return (size_t)(way.right ? other + row * (OTHERS + GAP) : row + other * (order + GAP));
}

static bool queue_product(const struct problem *problem, const struct result *result, struct way way, int order,
                          CUdeviceptr c)
{
    const struct bidiagonal_back work = {
        .type = problem->type, .vectors = way.of_p ? BIDIAGONAL_P : BIDIAGONAL_Q, .order = order,
        .k = way.of_p ? problem->m : problem->n, .a = result->there[PART_A],
        .tau = result->there[way.of_p ? PART_TAUP : PART_TAUQ], .lda = problem->m + GAP,
        .side = {.right = way.right, .adjoint = way.adjoint,
                 .c = {c, way.right ? OTHERS + GAP : order + GAP}, .others = OTHERS}};
    const CUdeviceptr workspace = device_memory(bidiagonal_back_workspace(&work));
    const bool good = bidiagonal_back_queue(&handle, &work, workspace) == STATUS_OK &&
                      driver()->stream_synchronise(handle.stream) == CUDA_SUCCESS;
    device_free(emulated_device, workspace);
    return good;
}

/* How far the product is from what is expected; infinite where it has written what is not its own. */
static double error_of(const struct problem *problem, const struct result *result, struct way way)
{
    const int order = way.of_p ? problem->n : problem->m;
    const size_t element = blas_element_bytes(problem->type),
                 bytes = (size_t)(way.right ? (OTHERS + GAP) * order : (order + GAP) * OTHERS) * element;
    unsigned char *const c = malloc(bytes);
    double complex *const expected = malloc((size_t)(order * OTHERS) * sizeof *expected);
    double error = 0;
    memset(c, 0xff, bytes);
    for (int other = 0; other < OTHERS; other++)
        for (int row = 0; row < order; row++) {
            const size_t place = place_of(way, order, row, other);
            put_element(problem->type, c, place, random_element(problem->type));
            const double complex value = element_at(problem->type, c, place);
            expected[row + other * order] = way.right ? conj(value) : value;
        }
    const CUdeviceptr there = device_memory(bytes);
    device_poke(there, c, bytes);
    if (!queue_product(problem, result, way, order, there))
        error = INFINITY;
    device_peek(c, there, bytes);
    device_free(emulated_device, there);
    for (int other = 0; other < OTHERS; other++) {
        apply_all(problem, result, way, expected + other * order);
        for (int row = 0; row < order; row++) {
            const size_t place = place_of(way, order, row, other);
            const double complex value = element_at(problem->type, c, place);
            const double apart = cabs((way.right ? conj(value) : value) - expected[row + other * order]);
            error = isnan(apart) ? INFINITY : fmax(error, apart);
            memset(c + place * element, 0xff, element);
        }
    }
    for (size_t i = 0; i < bytes; i++)
        error = c[i] == 0xff ? error : INFINITY;
    free(c), free(expected);
    return error / (sqrt(order) * (blas_is_single(problem->type) ? 0x1p-23 : 0x1p-52));
}

static void test(enum blas_type type, int m, int n)
{
    const struct problem problem = {.type = type, .m = m, .n = n};
    struct result result = result_of(&problem);
    double most = 0;
    make_reflectors(&problem, &result);
    for (int bits = 0; bits < 8; bits++) {
        const struct way way = {bits & 1, bits & 2, bits & 4};
        const double error = error_of(&problem, &result, way);
        if (!(error < BOUND))
            printf("# %s%s%s: %g\n", way.of_p ? "P" : "Q", way.right ? ", right" : "",
                   way.adjoint ? ", adjoint" : "", error);
        most = fmax(most, error);
    }
    tap_ok(most < BOUND, "%s: Q and P, both sides and ways", words_of(&problem));
    result_free(&result);
}

UNIT_TEST(test_bidiagonal_back)
{
    static const int shapes[][2] = {{1, 1}, {2, 2}, {3, 3}, {1, 4}, {5, 1}, {33, 20}, {20, 33},
                                    {BACK_WIDTH + 1, BACK_WIDTH + 1}, {BACK_WIDTH, BACK_WIDTH + 9},
                                    {2 * BACK_WIDTH + 3, BACK_WIDTH + 2}};
    open_handle(3);
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            test(type, shapes[i][0], shapes[i][1]);
    return tap_done();
}

/* A cluster or all multiprocessors: which is chosen, and that both leave the same bits. */
#include "lapack/eigensolver/own_eigen.h"
#include "gpu/cooperative.h"
#include "hermitian_matrices.h"
#include "reduced_matrix.h"
#include "test_apart.h"
#include "unit_test.h"

enum { ORDER = 20 };
static const struct matrix_kind *const random_kind = &matrix_kinds[0];

/* Sanitizers take their time. */
#if defined __SANITIZE_THREAD__
static const int order_limit = 3;
static const enum blas_type last_type = TYPE_D;
#elif defined __SANITIZE_ADDRESS__
static const int order_limit = 3;
static const enum blas_type last_type = TYPE_D;
#else
static const int order_limit = 1000;
static const enum blas_type last_type = TYPE_Z;
#endif

static struct driver *driver_table(void)
{
    return (struct driver *)(uintptr_t)driver();
}

/* A device whose clusters have so many blocks. All multiprocessors are able to do what such a cluster is. */
static void open_clusters(int blocks)
{
    char number[12];
    snprintf(number, sizeof number, "%d", blocks);
    setenv("EMULATED_CLUSTER", number, 1);
    setenv("EMULATED_SHARED", "72K", 1);
    open_handle(blocks > 0 ? 3 * blocks / 2 : 3);
}

/* 0: by no cluster. */
static unsigned cluster_blocks(enum blas_type type, int64_t order)
{
    struct chip_plan plan;
    return chip_plan_cluster(emulated_device, type, order, &plan) == STATUS_OK ? plan.blocks : 0;
}

static int cluster_order_most(enum blas_type type)
{
    int order = 1;
    while (cluster_blocks(type, order + 1) > 0)
        order++;
    return order;
}

/* Was it one launch, and of the kind that is meant? */
static bool reduce_by(const struct problem *problem, struct result *result, bool by_cluster)
{
    const unsigned long clusters = call_count("cuLaunchKernelEx"),
                        grids = call_count("cuLaunchCooperativeKernel");
    return reduce(problem, result) && call_count("cuLaunchKernelEx") - clusters == by_cluster &&
           call_count("cuLaunchCooperativeKernel") - grids == !by_cluster;
}

/* As where the driver has no clusters. */
static bool reduce_wide(const struct problem *problem, struct result *result)
{
    const struct driver whole = *driver();
    driver_table()->active_clusters = NULL;
    const bool good = reduce_by(problem, result, false);
    *driver_table() = whole;
    return good;
}

static void test_bits(enum blas_type type, enum blas_uplo uplo, int n, const struct matrix_kind *kind)
{
    const struct problem problem = {.type = type, .uplo = uplo, .n = n, .cluster_to = n,
                                    .given = hermitian_matrix(kind, type, n)};
    const bool by_cluster = cluster_blocks(type, n) > 0;
    struct result first = result_of(&problem), second = result_of(&problem);
    const bool good = reduce_by(&problem, &first, by_cluster) && reduce_wide(&problem, &second);
    tap_ok(good && is_same(&first, &second), "%s, %s: by %s, and the same bits on all multiprocessors",
           words_of(&problem), kind->name, by_cluster ? "a cluster" : "none");
    result_free(&first);
    result_free(&second);
    free(problem.given);
}

static void test_both_triangles(enum blas_type type, int n)
{
    test_bits(type, UPLO_LOWER, n, random_kind);
    test_bits(type, UPLO_UPPER, n, random_kind);
}

static void test_orders(enum blas_type type)
{
    static const int small[] = {1, 2, 3, 31, 32, 33}, large[] = {64, 65, 132};
    const int most = cluster_order_most(type);
    const int around[] = {most, most + 1};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (small[i] <= order_limit && type == TYPE_D)
            test_both_triangles(type, small[i]);
        else if (small[i] <= order_limit)
            test_bits(type, (i + type) % 2 ? UPLO_UPPER : UPLO_LOWER, small[i], random_kind);
    if (order_limit < most)
        return;
    const bool all = type == TYPE_D; /* the others are among the kept digests (eigen_bits.sh) */
    for (size_t i = all ? 0 : 1; i < (all ? sizeof large / sizeof *large : 2); i++)
        test_bits(type, (i + type) % 2 ? UPLO_UPPER : UPLO_LOWER, large[i], random_kind);
    for (size_t i = 0; all && i < sizeof around / sizeof *around; i++)
        test_bits(type, (i + type) % 2 ? UPLO_UPPER : UPLO_LOWER, around[i], random_kind);
    tap_ok(cluster_blocks(type, most + 1) == 0 && most >= large[2], "%c: by a cluster up to order %d",
           "sdcz"[type], most);
}

static void test_kinds(enum blas_type type)
{
    for (int kind = 1; kind < MATRIX_KINDS; kind++)
        if (order_limit >= 33 && (type == TYPE_D || type == TYPE_Z) &&
            !(matrix_kinds[kind].is_complex && blas_scalar_parts(type) == 1))
            test_bits(type, kind % 2 ? UPLO_UPPER : UPLO_LOWER, ORDER + kind % 3, &matrix_kinds[kind]);
}

/* Nothing is right then, but it ends, and no other memory is written. */
static void test_not_finite(enum blas_type type, double value)
{
    struct problem problem = {.type = type, .uplo = UPLO_LOWER, .n = ORDER,
                              .given = hermitian_matrix(random_kind, type, ORDER)};
    problem.given[5] = problem.given[5 * ORDER] = value;
    struct result result = result_of(&problem);
    tap_ok(reduce_by(&problem, &result, true), "%s, with %g: it ends", words_of(&problem), value);
    result_free(&result);
    free(problem.given);
}

static bool reduces_order(int n, int cluster_to, bool by_cluster)
{
    const struct problem problem = {.type = TYPE_D, .uplo = UPLO_LOWER, .n = n, .cluster_to = cluster_to,
                                    .given = hermitian_matrix(random_kind, TYPE_D, n)};
    struct result result = result_of(&problem);
    return reduce_by(&problem, &result, by_cluster);
}

static bool reduces_one(bool by_cluster) { return reduces_order(ORDER, 0, by_cluster); }

static bool prefers_large_clusters(void)
{
    open_clusters(16);
    const bool good = cluster_blocks(TYPE_D, ORDER) == 16;
    set_faults("cuOccupancyMaxActiveClusters:1:912");
    return good && cluster_blocks(TYPE_D, ORDER) == 8 && cluster_order_most(TYPE_Z) > 150;
}

/* 231 is more than what pays with 8 blocks of 72 KB, and just fits. */
static bool takes_the_faster(void)
{
    open_clusters(8);
    return cluster_blocks(TYPE_D, 231) == 8 && chip_cluster_to(TYPE_D, 8) == 224 &&
           reduces_order(order_limit < 64 ? ORDER : 64, 0, true) &&
           (order_limit < 231 || reduces_order(231, 0, false));
}

static bool takes_the_learned(void)
{
    open_clusters(8);
    return (order_limit < 231 || reduces_order(231, 231, true)) && reduces_order(ORDER, ORDER - 1, false) &&
           reduces_order(ORDER, ORDER, true);
}

static bool may_have_none(void)
{
    open_clusters(0);
    return cluster_blocks(TYPE_D, ORDER) == 0 && reduces_one(false) && reduces_order(ORDER, 500, false) &&
           call_count("cuOccupancyMaxActiveClusters") == 0;
}

static bool needs_room(void)
{
    setenv("EMULATED_CLUSTER", "8", 1);
    open_handle(2);
    return cluster_blocks(TYPE_D, 1) == 8 && cluster_blocks(TYPE_D, 300) == 0;
}

static bool needs_no_cooperation(void)
{
    setenv("EMULATED_CLUSTER", "8", 1);
    setenv("EMULATED_MULTIPROCESSORS", "8", 1);
    setenv("EMULATED_COOPERATIVE", "0", 1);
    struct lane *const lane = emulated_lane();
    const struct solver_library *library;
    return solver_library_open(emulated_device, &library) == STATUS_OK &&
           solver_handle_create(library, lane->stream, &handle) == STATUS_OK && reduces_one(true);
}

static CUresult older_attribute(int *value, int attribute, CUfunction function)
{
    (void)function;
    *value = attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION ? 80 : 0;
    return CUDA_SUCCESS;
}

static bool needs_kernels_with_clusters(void)
{
    open_clusters(8);
    const bool good = cluster_blocks(TYPE_D, ORDER) == 8;
    driver_table()->function_attribute = older_attribute;
    return good && cluster_blocks(TYPE_D, ORDER) == 0;
}

static bool needs_both_functions(void)
{
    open_clusters(8);
    const bool good = cluster_blocks(TYPE_D, ORDER) == 8;
    driver_table()->launch_kernel_ex = NULL;
    return good && cluster_blocks(TYPE_D, ORDER) == 0;
}

/* The launch is counted, and the other follows. */
static bool remembers_a_refusal(void)
{
    open_clusters(8);
    const struct problem problem = {.type = TYPE_D, .uplo = UPLO_LOWER, .n = ORDER,
                                    .given = hermitian_matrix(random_kind, TYPE_D, ORDER)};
    struct result result = result_of(&problem);
    set_faults("cuLaunchKernelEx:1:912");
    return reduce(&problem, &result) && call_count("cuLaunchKernelEx") == 1 &&
           call_count("cuLaunchCooperativeKernel") == 1 && cluster_blocks(TYPE_D, ORDER) == 0 &&
           reduces_one(false);
}

static bool follows_other_refusals(void)
{
    open_clusters(8);
    const bool good = cluster_blocks(TYPE_D, ORDER) == 8;
    cooperative_refuse(emulated_device);
    return good && cluster_blocks(TYPE_D, ORDER) == 0;
}

static void test_choice(void)
{
    test_apart(prefers_large_clusters, "a cluster of 16 blocks where the device takes it, else of 8");
    test_apart(takes_the_faster, "all multiprocessors from the order on from which they are faster");
    test_apart(takes_the_learned, "or from the order on that the caller has learned");
    test_apart(may_have_none, "a device may have no clusters: then none is asked for");
    test_apart(needs_room, "or no room for one of such blocks");
    test_apart(needs_kernels_with_clusters, "no cluster of kernels that were compiled for older devices");
    test_apart(needs_both_functions, "nor where the driver lacks what launches it");
    test_apart(remembers_a_refusal, "where the driver refuses one, all multiprocessors compute");
    test_apart(follows_other_refusals, "where cooperative launches are refused, so are clusters");
    if (order_limit >= ORDER)
        test_apart(needs_no_cooperation, "a cluster needs no cooperative launch");
}

UNIT_TEST(test_chip_plan)
{
    test_choice();
    open_clusters(8);
    for (enum blas_type type = TYPE_S; type <= last_type; type++) {
        test_orders(type);
        test_kinds(type);
    }
    for (enum blas_type type = TYPE_D; type <= TYPE_Z && order_limit >= ORDER; type += TYPE_Z - TYPE_D) {
        test_not_finite(type, NAN);
        test_not_finite(type, INFINITY);
    }
    return tap_done();
}

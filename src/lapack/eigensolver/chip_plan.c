#include "lapack/eigensolver/chip_plan.h"
#include "gpu/cluster.h"
#include "gpu/cooperative_refusal.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"

/* Elements of shared memory beside the matrix and what comes in (kernels/tridiagonal/chip_memory.h). */
#define CHIP_ELEMENTS(rows_most) ((TRIDIAGONAL_WARPS + 2) * (rows_most) + 2 + 3 * TRIDIAGONAL_WARPS + 16)

struct kernels {
    enum kernel cluster, wide[3];    /* with 1 column a thread, 2, and more */
    int order_most;                  /* by what a thread of the last can carry */
    int cluster_16_to, cluster_8_to; /* clusters are faster up to these (bench/lapack_exchange, H100) */
};

static const struct kernels kernels_of[] = {
    [TYPE_S] = {KERNEL_ssytrd_cluster, {KERNEL_ssytrd_chip_1, KERNEL_ssytrd_chip_2, KERNEL_ssytrd_chip},
                6 * TRIDIAGONAL_THREADS, 416, 256},
    [TYPE_D] = {KERNEL_dsytrd_cluster, {KERNEL_dsytrd_chip_1, KERNEL_dsytrd_chip_2, KERNEL_dsytrd_chip},
                4 * TRIDIAGONAL_THREADS, 384, 224},
    [TYPE_C] = {KERNEL_chetrd_cluster, {KERNEL_chetrd_chip_1, KERNEL_chetrd_chip_2, KERNEL_chetrd_chip},
                4 * TRIDIAGONAL_THREADS, 320, 192},
    [TYPE_Z] = {KERNEL_zhetrd_cluster, {KERNEL_zhetrd_chip_1, KERNEL_zhetrd_chip_2, KERNEL_zhetrd_chip},
                3 * TRIDIAGONAL_THREADS, 224, 128},
};

static int64_t rows_of(int64_t order, int64_t blocks)
{
    return (order + blocks - 1) / blocks;
}

int64_t chip_order_most(struct device *device, enum blas_type type)
{
    const int64_t element = (int64_t)blas_element_bytes(type);
    const int64_t blocks = device_kernels(device)->multiprocessors;
    const int64_t elements = (int64_t)device_properties(device)->shared_bytes_per_block / element -
                             CHIP_ELEMENTS(CHIP_ROWS_MOST);
    int64_t most = 0;
    for (int64_t rows = 1; rows <= CHIP_ROWS_MOST && elements > 0; rows++) {
        const int64_t by_memory = elements / rows, by_blocks = rows * blocks,
                      order = by_memory < by_blocks ? by_memory : by_blocks;
        most = order > most ? order : most;
    }
    return most < kernels_of[type].order_most ? most : kernels_of[type].order_most;
}

struct chip_plan chip_plan_wide(struct device *device, enum blas_type type, int64_t order)
{
    const int64_t blocks = device_kernels(device)->multiprocessors;
    const int64_t elements = rows_of(order, blocks) * order + CHIP_ELEMENTS(CHIP_ROWS_MOST);
    const int kernel = order <= TRIDIAGONAL_THREADS ? 0 : order <= 2 * TRIDIAGONAL_THREADS ? 1 : 2;
    return (struct chip_plan){.kernel = kernels_of[type].wide[kernel], .blocks = (unsigned)blocks,
                              .shared_bytes = (size_t)elements * blas_element_bytes(type)};
}

/* STATUS_UNSUPPORTED: this many blocks do not do. */
static enum status plan_blocks(struct device *device, enum blas_type type, int64_t order, unsigned blocks,
                               struct chip_plan *plan)
{
    const int64_t rows = rows_of(order, blocks);
    const int64_t elements = (rows + CHIP_INBOX) * order + TRIDIAGONAL_WARPS +
                             CHIP_ELEMENTS(CHIP_CLUSTER_ROWS_MOST) + 2 * CHIP_CLUSTER_ROWS_MOST;
    *plan = (struct chip_plan){.kernel = kernels_of[type].cluster, .blocks = blocks, .is_cluster = true,
                               .shared_bytes = (size_t)elements * blas_element_bytes(type)};
    if (order > TRIDIAGONAL_THREADS || rows > CHIP_CLUSTER_ROWS_MOST ||
        plan->shared_bytes > device_properties(device)->shared_bytes_per_block)
        return STATUS_UNSUPPORTED;
    const struct cluster_launch launch = {.kernel = plan->kernel, .threads = TRIDIAGONAL_THREADS,
                                          .shared_bytes = plan->shared_bytes, .blocks = blocks};
    return cluster_room(device, &launch);
}

enum status chip_plan_cluster(struct device *device, enum blas_type type, int64_t order,
                              struct chip_plan *plan)
{
    /* Any device with clusters has those of 8. */
    static const unsigned sizes[] = {TRIDIAGONAL_WARPS, 8};
    enum status status = STATUS_UNSUPPORTED;
    if (cooperative_is_refused(device))
        return status;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && status == STATUS_UNSUPPORTED; i++)
        status = plan_blocks(device, type, order, sizes[i], plan);
    return status;
}

int64_t chip_cluster_to(enum blas_type type, unsigned blocks)
{
    return blocks > 8 ? kernels_of[type].cluster_16_to : kernels_of[type].cluster_8_to;
}

/* The reduction of what fits into shared memory to tridiagonal form, on all multiprocessors and by
 * clusters. */
#include "eigen_steps.h"
#include "lapack/eigensolver/own_eigen.h"

enum { WIDE, CLUSTER_16, CLUSTER_8 };
enum { A, D, E, TAU, WORKSPACE };

static typeof(((struct driver *)0)->active_clusters) ask_clusters;
static unsigned blocks_allowed;

/* In the place of the driver's: there are no others. */
static CUresult allow_clusters(int *clusters, CUfunction function, const CUlaunchConfig *config)
{
    *clusters = 0;
    return config->attrs[0].value.clusterDim.x == blocks_allowed ? ask_clusters(clusters, function, config)
                                                                 : CUDA_SUCCESS;
}

static void choose(int way)
{
    struct driver *const table = (struct driver *)(uintptr_t)driver();
    if (!ask_clusters)
        ask_clusters = table->active_clusters;
    blocks_allowed = way == CLUSTER_16 ? 16 : 8;
    table->active_clusters = way != WIDE && ask_clusters ? allow_clusters : NULL;
}

static bool has_way(const struct eigen_run *run)
{
    struct chip_plan plan;
    return run->way == WIDE ||
           chip_plan_cluster(run->lane->device, run->given->type, run->given->n, &plan) == STATUS_OK;
}

static struct tridiagonalisation work_of(const struct eigen_run *run)
{
    return (struct tridiagonalisation){.type = run->given->type, .uplo = run->given->uplo, .n = run->given->n,
                                       .lda = run->given->n + EIGEN_GAP,
                                       .cluster_to = run->way == WIDE ? 1 : run->given->n,
                                       .a = eigen_memory_address(&run->memory, A),
                                       .d = eigen_memory_address(&run->memory, D),
                                       .e = eigen_memory_address(&run->memory, E),
                                       .tau = eigen_memory_address(&run->memory, TAU)};
}

static enum status take(struct eigen_run *run)
{
    const enum blas_type type = run->given->type;
    const struct tridiagonalisation work = work_of(run);
    const size_t n = (size_t)run->given->n, element = blas_element_bytes(type),
                 real = element_part_bytes(type);
    size_t workspace_bytes = 0;
    choose(run->way);
    if (work.n > chip_order_most(run->lane->device, type) || !has_way(run))
        return STATUS_UNSUPPORTED;
    const enum status status = tridiagonalisation_workspace(&run->handle, &work, &workspace_bytes);
    eigen_memory_take(&run->memory, A, (n + EIGEN_GAP) * n * element);
    eigen_memory_take(&run->memory, D, n * real);
    eigen_memory_take(&run->memory, E, (n - 1) * real);
    eigen_memory_take(&run->memory, TAU, (n - 1) * element);
    eigen_memory_take(&run->memory, WORKSPACE, workspace_bytes);
    return status;
}

/* The triangle's column: where it begins, its first row, how many there are. */
struct column {
    int64_t place, row, count;
};
static struct column column_of(const struct eigen_case *given, int64_t j)
{
    const bool upper = given->uplo == UPLO_UPPER;
    struct column column = {.row = upper ? 0 : j, .count = upper ? j + 1 : given->n - j};
    column.place = column.row + j * (given->n + EIGEN_GAP);
    return column;
}

/* Imaginary parts of the diagonal stay NaN. */
static void fill(struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    const size_t element = blas_element_bytes(given->type);
    void *const a = eigen_memory_host(&run->memory, A);
    for (int64_t j = 0; j < given->n; j++) {
        const struct column column = column_of(given, j);
        for (int64_t i = 0; i < column.count; i++)
            if (column.row + i != j)
                eigen_set(given->type, a, column.place + i, 1, column.row + i, j, 1);
        eigen_set(eigen_real_type(given->type), a,
                  element_parts(given->type) * (j + j * (given->n + EIGEN_GAP)), 1, j, j, 1);
        eigen_memory_allow_part(&run->memory, A, (size_t)column.place * element,
                                (size_t)column.count * element);
    }
    for (int result = D; result <= WORKSPACE; result++)
        eigen_memory_allow(&run->memory, result);
}

/* The driver may refuse a cluster when it is launched: then all multiprocessors computed. */
static enum status queue(struct eigen_run *run)
{
    const struct tridiagonalisation work = work_of(run);
    const enum status status = tridiagonalisation_queue(&run->handle, &work,
                                                        eigen_memory_address(&run->memory, WORKSPACE),
                                                        run->memory.operands[WORKSPACE].bytes);
    return status == STATUS_OK && !has_way(run) ? STATUS_UNSUPPORTED : status;
}

static uint64_t digest(const struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    const enum blas_type real = eigen_real_type(given->type);
    const unsigned char *const a = eigen_memory_host(&run->memory, A);
    uint64_t digest = RESULT_DIGEST_EMPTY;
    for (int64_t j = 0; j < given->n; j++) {
        const struct column column = column_of(given, j);
        digest = result_digest_more(
            digest, given->type, a + (size_t)column.place * blas_element_bytes(given->type), column.count);
    }
    digest = result_digest_more(digest, real, eigen_memory_host(&run->memory, D), given->n);
    digest = result_digest_more(digest, real, eigen_memory_host(&run->memory, E), given->n - 1);
    return result_digest_more(digest, given->type, eigen_memory_host(&run->memory, TAU), given->n - 1);
}

const struct eigen_form eigen_chip = {
    "on the chip", {"by all multiprocessors", "by a cluster of 16", "by a cluster of 8"}, take, fill, queue,
    digest};

/* A band matrix to tridiagonal form by bulge chasing, and vectors back by its reflectors and their
 * triangles. */
#include "eigen_steps.h"
#include "lapack/eigensolver/own_eigen.h"
#include "lapack/eigensolver/two_stage.h"

#include <string.h>

enum { BAND, INVERSE, D, E, KEPT, WORKSPACE, C };
enum { COLUMNS = 33 /* of C: some pairs of warps */ };

static struct bulge_chasing work_of(const struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    return (struct bulge_chasing){.type = given->type, .n = given->n,
                                  .band = eigen_memory_address(&run->memory, BAND),
                                  .inverse = eigen_memory_address(&run->memory, INVERSE),
                                  .d = eigen_memory_address(&run->memory, D),
                                  .e = eigen_memory_address(&run->memory, E),
                                  .kept = given->with_vectors ? eigen_memory_address(&run->memory, KEPT) : 0};
}

static enum status take_chase(struct eigen_run *run)
{
    const struct bulge_chasing work = work_of(run);
    const size_t n = (size_t)work.n, element = blas_element_bytes(work.type);
    size_t workspace_bytes = 0;
    const enum status status = bulge_chasing_workspace(&run->handle, &work, &workspace_bytes);
    eigen_memory_take(&run->memory, BAND, n * BAND_STORED * element);
    eigen_memory_take(&run->memory, INVERSE, element);
    eigen_memory_take(&run->memory, D, n * element);
    eigen_memory_take(&run->memory, E, (n - 1) * element);
    eigen_memory_take(&run->memory, KEPT, run->given->with_vectors ? bulge_chasing_kept_bytes(&work) : 0);
    eigen_memory_take(&run->memory, WORKSPACE, workspace_bytes);
    return status;
}

/* Zeros beside the band. */
static void fill_chase(struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    void *const band = eigen_memory_host(&run->memory, BAND);
    memset(band, 0, run->memory.operands[BAND].bytes);
    for (int64_t j = 0; j < given->n; j++)
        for (int64_t i = 0; i <= BAND_WIDTH && i + j < given->n; i++)
            eigen_set(given->type, band, i + j * BAND_STORED, 1, i + j, j, 1);
    element_set_part(given->type, eigen_memory_host(&run->memory, INVERSE), 0, 0.25);
    eigen_memory_allow(&run->memory, BAND);
    for (int result = D; result <= WORKSPACE; result++)
        eigen_memory_allow(&run->memory, result);
}

static enum status queue_chase(struct eigen_run *run)
{
    const struct bulge_chasing work = work_of(run);
    return bulge_chasing_queue(&run->handle, &work, eigen_memory_address(&run->memory, WORKSPACE));
}

/* All that is kept counts: NaN stays where nothing is written. */
static uint64_t digest_chase(const struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    uint64_t digest = result_digest(given->type, eigen_memory_host(&run->memory, D), given->n);
    digest = result_digest_more(digest, given->type, eigen_memory_host(&run->memory, E), given->n - 1);
    return result_digest_more(digest, TYPE_D, eigen_memory_host(&run->memory, KEPT),
                              (int64_t)(run->memory.operands[KEPT].bytes / sizeof(double)));
}

const struct eigen_form eigen_chase = {
    "bulge chasing", {"as queued"}, take_chase, fill_chase, queue_chase, digest_chase};

/* Pairs of warps of a block, and stages: what two_stage.c chooses by the device. */
static const struct back_way {
    int64_t pairs, stages;
} back_ways[] = {{4, 2}, {1, 1}, {2, 2}};

static size_t shared_bytes(const struct back_way *way)
{
    const int64_t elements = way->stages * BAND_BACK_STAGE + way->pairs * 2 * BAND_BACK_EXCHANGE;
    return (size_t)elements * sizeof(double);
}

static int64_t ld_of(const struct eigen_case *given) { return given->n + EIGEN_GAP; }

static enum status take_back(struct eigen_run *run)
{
    const enum status status = take_chase(run);
    const size_t room = device_properties(run->lane->device)->shared_bytes_per_block;
    eigen_memory_take(&run->memory, C,
                      (size_t)(ld_of(run->given) * COLUMNS) * blas_element_bytes(run->given->type));
    return status == STATUS_OK && shared_bytes(&back_ways[run->way]) > room ? STATUS_UNSUPPORTED : status;
}

static void fill_back(struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    const size_t element = blas_element_bytes(given->type);
    fill_chase(run);
    for (int64_t j = 0; j < COLUMNS; j++) {
        for (int64_t i = 0; i < given->n; i++)
            eigen_set(given->type, eigen_memory_host(&run->memory, C), i + j * ld_of(given), 2, i, j, 1);
        eigen_memory_allow_part(&run->memory, C, (size_t)(j * ld_of(given)) * element,
                                (size_t)given->n * element);
    }
}

static enum status queue_back(struct eigen_run *run)
{
    const struct bulge_chasing work = work_of(run);
    const struct back_way *const way = &back_ways[run->way];
    const int64_t columns = way->pairs * BAND_BACK_COLUMNS; /* of a block */
    struct band_back_arguments arguments = {.kept = bulge_chasing_kept(&work),
                                            .c = device_pointer(eigen_memory_address(&run->memory, C)),
                                            .ld = ld_of(run->given), .order = work.n, .columns = COLUMNS,
                                            .stages = way->stages};
    const enum status status = queue_chase(run);
    return status == STATUS_OK
               ? device_launch(run->lane->device, run->lane->stream,
                               work.type == TYPE_S ? KERNEL_sband_back : KERNEL_dband_back,
                               (unsigned)((COLUMNS + columns - 1) / columns), (unsigned)(64 * way->pairs),
                               shared_bytes(way), &arguments)
               : status;
}

static uint64_t digest_back(const struct eigen_run *run)
{
    return result_digest(run->given->type, eigen_memory_host(&run->memory, C), ld_of(run->given) * COLUMNS);
}

const struct eigen_form eigen_back = {
    "the way back to the band matrix",
    {"by 4 pairs of warps", "by 1 pair and stage", "by 2 pairs"},
    take_back, fill_back, queue_back, digest_back};

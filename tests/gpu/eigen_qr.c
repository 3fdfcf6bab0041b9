/* The QR of a panel of the band reduction. */
#include "eigen_steps.h"
#include "gpu/cooperative.h"
#include "gpu/kernels/two_stage/band_arguments.h"

enum { A, V, T, PARTIALS, PIVOTS, GATE };
enum { ALL_CHUNKS, LONG, LONG_BY_ONE };
enum { V_COLUMNS = 3 * BAND_WIDTH /* V is in the first third and in the last */ };

static int64_t ld_of(const struct eigen_case *given) { return given->n + EIGEN_GAP; }
static int64_t chunks_of(const struct eigen_case *given) { return (given->n + BAND_CHUNK - 1) / BAND_CHUNK; }

static enum status take(struct eigen_run *run)
{
    const size_t element = blas_element_bytes(run->given->type), ld = (size_t)ld_of(run->given);
    eigen_memory_take(&run->memory, A, ld * BAND_WIDTH * element);
    eigen_memory_take(&run->memory, V, ld * V_COLUMNS * element);
    eigen_memory_take(&run->memory, T, BAND_WIDTH * BAND_WIDTH * element);
    eigen_memory_take(&run->memory, PARTIALS, 2 * BAND_WIDTH * (size_t)chunks_of(run->given) * element);
    eigen_memory_take(&run->memory, PIVOTS, 2 * BAND_WIDTH * element);
    eigen_memory_take(&run->memory, GATE, sizeof(struct grid_gate));
    return STATUS_OK;
}

static void fill(struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    const size_t element = blas_element_bytes(given->type), ld = (size_t)ld_of(given),
                 column_bytes = (size_t)given->n * element;
    for (int64_t j = 0; j < BAND_WIDTH; j++) {
        const size_t place = (size_t)j * ld * element;
        for (int64_t i = 0; i < given->n; i++)
            eigen_set(given->type, eigen_memory_host(&run->memory, A), i + j * ld_of(given), 1, i, j, 1);
        eigen_memory_allow_part(&run->memory, A, place, column_bytes);
        eigen_memory_allow_part(&run->memory, V, place, column_bytes);
        eigen_memory_allow_part(&run->memory, V, place + 2 * BAND_WIDTH * ld * element, column_bytes);
    }
    for (int result = T; result <= GATE; result++)
        eigen_memory_allow(&run->memory, result);
}

static enum status queue(struct eigen_run *run)
{
    static const enum kernel kernels[][2] = {[TYPE_S] = {KERNEL_ssyband_panel, KERNEL_ssyband_panel_long},
                                             [TYPE_D] = {KERNEL_dsyband_panel, KERNEL_dsyband_panel_long}};
    const struct eigen_case *const given = run->given;
    const struct eigen_memory *const memory = &run->memory;
    const unsigned blocks = run->way == LONG_BY_ONE ? 1 : (unsigned)chunks_of(given);
    struct band_panel_arguments arguments = {
        .a = device_pointer(eigen_memory_address(memory, A)), .ld = ld_of(given), .rows = given->n,
        .v = device_pointer(eigen_memory_address(memory, V)), .v_ld = ld_of(given),
        .t = device_pointer(eigen_memory_address(memory, T)),
        .partials = device_pointer(eigen_memory_address(memory, PARTIALS)), .chunks_most = chunks_of(given),
        .pivots = device_pointer(eigen_memory_address(memory, PIVOTS)),
        .gate = device_pointer(eigen_memory_address(memory, GATE))};
    struct cooperative_launch launch = {.kernel = kernels[given->type][run->way != ALL_CHUNKS],
                                        .threads = BAND_PANEL_THREADS,
                                        .shared_bytes = BAND_PANEL_ELEMENTS * blas_element_bytes(given->type),
                                        .blocks = blocks, .gate = eigen_memory_address(memory, GATE)};
    unsigned room;
    const enum status status = cooperative_room(run->lane->device, &launch, &room);
    if (status != STATUS_OK || room < blocks)
        return STATUS_UNSUPPORTED;
    return cooperative_launch(run->lane->device, run->lane->stream, &launch, &arguments);
}

static uint64_t digest(const struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    const int64_t ld = ld_of(given);
    uint64_t digest = result_digest(given->type, eigen_memory_host(&run->memory, A), ld * BAND_WIDTH);
    digest = result_digest_more(digest, given->type, eigen_memory_host(&run->memory, V), ld * V_COLUMNS);
    return result_digest_more(digest, given->type, eigen_memory_host(&run->memory, T),
                              BAND_WIDTH * BAND_WIDTH);
}

const struct eigen_form eigen_qr = {
    "QR of a panel", {"a block for each chunk", "long, as many blocks", "long, one block"}, take, fill, queue,
    digest};

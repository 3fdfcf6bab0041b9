#include "common/clock.h"
#include "common/log.h"
#include "gpu/lane.h"
#include "gpu/launch.h"
#include "gpu/vendor/vendor_library.h"
#include "interpose/execute/tile_runner.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/transfer/transfer.h"

#include <stdlib.h>

/* The vectors of one call on their way to a lane's device and back.
 *
 * Up to LANE_VECTOR_BYTES each: packed into the lane's pinned memory, which the kernel
 * writes its result to, and reads it from, itself, without a copy before or behind it.
 * Longer ones go through staging to scratch memory. No byte of the program's vector
 * changes before call_vectors_fetch, and then all of it or, on failure, none. */
struct call_vectors {
    struct lane *lane;
    struct blas_vector source;      /* the program's x; no pointer: a call without vectors */
    struct blas_vector result;      /* the program's vector that receives the result */
    struct blas_vector device_x, device_y; /* what the kernel is given */
    size_t element_bytes;
    bool result_is_read;
};

enum { SOURCE, RESULT }; /* the lane's two vectors */

static size_t vector_bytes(const struct blas_vector *vector, size_t element_bytes)
{
    return (size_t)vector->length * element_bytes;
}

static bool is_pinned(const struct blas_vector *vector, size_t element_bytes)
{
    return vector_bytes(vector, element_bytes) <= LANE_VECTOR_BYTES;
}

static size_t scratch_bytes(const struct blas_vector *vector, size_t element_bytes)
{
    return vector->pointer ? (vector_bytes(vector, element_bytes) + 255) / 256 * 256 : 0;
}

/* Scratch of the lane that call_vectors_place takes at most. */
static size_t call_vectors_scratch(const struct blas_call *call)
{
    const size_t element_bytes = blas_element_bytes(call->type);
    const size_t x = scratch_bytes(&call->x, element_bytes);
    return call->family == FAMILY_TRMV ? 2 * x : x + scratch_bytes(&call->y, element_bytes);
}

static CUdeviceptr device_address(const struct blas_vector *vector)
{
    return (CUdeviceptr)(uintptr_t)vector->pointer;
}

static struct blas_vector in_scratch(struct lane *lane, const struct blas_vector *host, size_t element_bytes)
{
    const CUdeviceptr address = lane_scratch(lane, vector_bytes(host, element_bytes));
    return (struct blas_vector){.pointer = (void *)(uintptr_t)address, .length = host->length,
                                .increment = 1};
}

/* x is read many times, by every block: to the device with it. */
static enum status place_source(struct call_vectors *vectors)
{
    struct lane *lane = vectors->lane;
    const size_t element_bytes = vectors->element_bytes,
                 bytes = vector_bytes(&vectors->source, element_bytes);
    vectors->device_x = in_scratch(lane, &vectors->source, element_bytes);
    const CUdeviceptr address = device_address(&vectors->device_x);
    if (!is_pinned(&vectors->source, element_bytes))
        return staging_upload_vector(lane, address, &vectors->source, element_bytes);
    staging_pack_vector(lane->vectors[SOURCE], &vectors->source, element_bytes);
    return staging_upload_direct(lane, address, bytes, lane->vectors[SOURCE], bytes, bytes, 1);
}

static enum status send_result(struct call_vectors *vectors, struct transfer_count *moved)
{
    if (!vectors->result_is_read)
        return STATUS_OK;
    moved->bytes_up += vector_bytes(&vectors->result, vectors->element_bytes);
    if (!is_pinned(&vectors->result, vectors->element_bytes))
        return staging_upload_vector(vectors->lane, device_address(&vectors->device_y), &vectors->result,
                                     vectors->element_bytes);
    staging_pack_vector(vectors->device_y.pointer, &vectors->result, vectors->element_bytes);
    return STATUS_OK;
}

/* Queue what goes up; then the kernel may be launched on device_x and device_y. Scratch must have
 * been reserved. Bytes are counted in *moved. */
static enum status call_vectors_place(struct call_vectors *vectors, struct lane *lane,
                                      const struct blas_call *call, struct transfer_count *moved)
{
    const bool in_place = call->family == FAMILY_TRMV; /* a second vector goes back to x's place (launch.h) */
    *vectors = (struct call_vectors){
        .lane = lane,
        .source = call->x,
        .result = in_place ? call->x : call->y,
        .element_bytes = blas_element_bytes(call->type),
        .result_is_read =
            !in_place && (call->family == FAMILY_AXPY || !blas_scalar_is_zero(call->type, call->beta)),
    };
    if (!vectors->source.pointer)
        return STATUS_OK;
    enum status status = place_source(vectors);
    if (status != STATUS_OK)
        return status;
    moved->bytes_up += vector_bytes(&vectors->source, vectors->element_bytes);
    if (is_pinned(&vectors->result, vectors->element_bytes))
        vectors->device_y = (struct blas_vector){lane->vectors[RESULT], vectors->result.length, 1};
    else
        vectors->device_y = in_scratch(lane, &vectors->result, vectors->element_bytes);
    return send_result(vectors, moved);
}

/* Before the kernel is launched once more: its result as it was. Waits where need be. */
static enum status call_vectors_restore(struct call_vectors *vectors, struct transfer_count *moved)
{
    if (!vectors->source.pointer || !vectors->result_is_read)
        return STATUS_OK;
    /* The kernel that is under way writes to the same memory. */
    enum status status = is_pinned(&vectors->result, vectors->element_bytes)
                             ? lane_synchronise(vectors->lane, "running a kernel")
                             : STATUS_OK;
    return status == STATUS_OK ? send_result(vectors, moved) : status;
}

/* The program's vector stays whole until all has arrived, so that the host can do the
 * call: one longer than a staged copy comes through private memory. */
static enum status download(const struct call_vectors *vectors)
{
    const size_t bytes = vector_bytes(&vectors->result, vectors->element_bytes);
    const CUdeviceptr source = device_address(&vectors->device_y);
    if (bytes <= STAGING_PIECE_BYTES)
        return staging_download_vector(vectors->lane, &vectors->result, source, vectors->element_bytes);
    struct blas_vector private = {.pointer = malloc(bytes), .length = vectors->result.length, .increment = 1};
    if (!private.pointer)
        return STATUS_OUT_OF_MEMORY;
    enum status status = staging_download_vector(vectors->lane, &private, source, vectors->element_bytes);
    if (status == STATUS_OK)
        staging_unpack_vector(&vectors->result, private.pointer, vectors->element_bytes);
    free(private.pointer);
    return status;
}

/* The wait is the first since the launch: a failure may be the kernel's, and then there
 * is nothing to fetch again. */
static enum status call_vectors_fetch(struct call_vectors *vectors, struct transfer_count *moved)
{
    enum status status;
    if (is_pinned(&vectors->result, vectors->element_bytes)) {
        status = lane_synchronise(vectors->lane, "running a kernel");
        phase_enter(PHASE_VECTORS);
        if (status == STATUS_OK)
            staging_unpack_vector(&vectors->result, vectors->device_y.pointer, vectors->element_bytes);
    } else {
        status = download(vectors);
    }
    if (status == STATUS_OK)
        moved->bytes_down += vector_bytes(&vectors->result, vectors->element_bytes);
    else
        vectors->lane->broken = true;
    return status;
}

static void place_operands(struct blas_call *call, const struct operand *operands)
{
    struct blas_matrix *matrices[] = {&call->a, &call->b, &call->c};
    for (int i = 0; i < 3; i++) {
        if (!matrices[i]->pointer)
            continue;
        matrices[i]->pointer = (void *)(uintptr_t)operands->device_address;
        matrices[i]->ld = operands->device_ld;
        operands++;
    }
}

/* The wait for a result that comes at once is for the call, and counts as that until the result is there. */
static enum status finish(struct lane *lane, struct operands_hold *hold, struct call_vectors *vectors,
                          struct transfer_count *moved)
{
    enum status status = STATUS_OK;
    phase_enter(PHASE_FINISH);
    if (vectors->source.pointer)
        status = call_vectors_fetch(vectors, moved);
    else if (!operands_come_at_once(hold))
        status = lane_synchronise(lane, "running a level 3 routine");
    else
        return operands_write_back(hold);
    phase_enter(PHASE_RESULT);
    return status == STATUS_OK ? operands_write_back(hold) : status; /* settles that the uploads arrived */
}

static enum status start(struct lane *lane, const struct blas_call *device_call)
{
    return blas_is_level3(device_call) ? level3_run(lane, device_call) : launch(lane, device_call);
}

/* Look for host writes while the kernel runs; if there were any it runs again, on its
 * first operands. */
static enum status prove(struct lane *lane, struct operands_hold *hold, const struct blas_call *device_call,
                         struct call_vectors *vectors, struct transfer_count *moved)
{
    bool changed;
    enum status status = operands_prove(hold, &changed);
    if (status == STATUS_OK && changed)
        status = call_vectors_restore(vectors, moved);
    return status == STATUS_OK && changed ? start(lane, device_call) : status;
}

static enum status run_held(struct operands_hold *hold, const struct operand *operands,
                            const struct blas_call *call, struct transfer_count *moved)
{
    struct lane *const lane = operands_lane(hold);
    struct blas_call device_call = *call; /* as the device sees it */
    struct call_vectors vectors;
    place_operands(&device_call, operands);
    phase_enter(PHASE_VECTORS);
    enum status status = call_vectors_place(&vectors, lane, call, moved);
    device_call.x = vectors.device_x;
    device_call.y = vectors.device_y;
    phase_enter(PHASE_LAUNCH);
    if (status == STATUS_OK)
        status = start(lane, &device_call);
    phase_enter(PHASE_OTHER);
    if (status == STATUS_OK)
        status = prove(lane, hold, &device_call, &vectors, moved);
    if (status == STATUS_OK)
        status = finish(lane, hold, &vectors, moved);
    else
        lane_synchronise(lane, "abandoning a call"); /* queued copies still read staging memory */
    phase_enter(PHASE_OTHER);
    return status;
}

static enum status hold_and_run(struct mirror_table *mirrors, enum hold_way way, struct program_call *call,
                                struct transfer_count *moved)
{
    struct operands_hold *hold = NULL;
    struct transfer_count matrices;
    enum status status = operands_take_hold(mirrors, NULL, &call->patience, call->operands,
                                            call->operand_count, call_vectors_scratch(&call->blas), way,
                                            &hold);
    if (status != STATUS_OK)
        return status;
    status = run_held(hold, call->operands, &call->blas, moved);
    operands_release(hold, &matrices);
    moved->bytes_up += matrices.bytes_up;
    moved->bytes_down += matrices.bytes_down;
    return status;
}

static enum status run_whole(struct mirror_table *mirrors, struct program_call *call,
                             struct transfer_count *moved)
{
    enum status status = hold_and_run(mirrors, HOLD_UNPROVEN, call, moved);
    if (status == STATUS_NOT_TRACKABLE) /* memory changed beside the kernel, or hands */
        status = hold_and_run(mirrors, HOLD_PROVEN, call, moved);
    return status;
}

static enum status run_in_tiles(struct device *device, struct mirror_table *mirrors,
                                struct program_call *call, const struct host_steps *host,
                                struct transfer_count *moved)
{
    struct lane *lane;
    if (!protection_allows_all(call->operands, call->operand_count))
        return STATUS_INACCESSIBLE;
    enum status status = lane_acquire_within(device, &call->patience, &lane);
    if (status != STATUS_OK)
        return status;
    const struct blas_matrix *const c = &call->blas.c;
    progress_begin(symbol_name(call->symbol), c->rows > c->columns ? c->rows : c->columns,
                   (call->times.resident_us + call->times.upload_us) / 1e6);
    status = tiled_run(device, mirrors, lane, &call->blas, host, moved);
    progress_end();
    lane_release(lane);
    return status;
}

enum status execute_call(struct device *device, struct mirror_table *mirrors, struct program_call *call,
                         const struct host_steps *host, struct transfer_count *moved)
{
    struct device_scope scope;
    *moved = (struct transfer_count){0, 0};
    enum status status = device_enter(device, &scope);
    if (status != STATUS_OK)
        return status;
    status = call->is_cut ? STATUS_OUT_OF_MEMORY : run_whole(mirrors, call, moved);
    if (status == STATUS_OUT_OF_MEMORY && blas_is_level3(&call->blas))
        status = run_in_tiles(device, mirrors, call, host, moved);
    device_leave(device, &scope);
    return status;
}

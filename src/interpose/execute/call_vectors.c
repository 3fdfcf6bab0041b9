#include "interpose/execute/call_vectors.h"
#include "common/phase_clock.h"
#include "mirror/transfer/staging.h"

#include <stdlib.h>

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

size_t call_vectors_scratch(const struct blas_call *call)
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

enum status call_vectors_place(struct call_vectors *vectors, struct lane *lane, const struct blas_call *call,
                               struct transfer_count *moved)
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

enum status call_vectors_restore(struct call_vectors *vectors, struct transfer_count *moved)
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
enum status call_vectors_fetch(struct call_vectors *vectors, struct transfer_count *moved)
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

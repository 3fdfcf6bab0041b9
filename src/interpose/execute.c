#include "interpose/execute.h"
#include "common/phase_clock.h"
#include "gpu/launch.h"
#include "gpu/level3.h"
#include "mirror/staging.h"

#include <stdlib.h>
#include <string.h>

static void add_operand(struct operand *operands, int *count, const struct blas_call *call,
                        const struct blas_matrix *matrix, enum operand_access access)
{
    if (!matrix->pointer)
        return;
    operands[(*count)++] = (struct operand){
        .matrix = *matrix, .element_bytes = blas_element_bytes(call->type), .access = access,
        .alignment = level3_alignment(call)};
}

int execute_operands(const struct blas_call *call, struct operand *operands)
{
    int count = 0;
    add_operand(operands, &count, call, &call->a, OPERAND_READ);
    add_operand(operands, &count, call, &call->b, OPERAND_READ);
    const bool overwritten = !blas_is_in_place(call) && blas_scalar_is_zero(call->type, call->beta);
    add_operand(operands, &count, call, &call->c, overwritten ? OPERAND_OVERWRITE : OPERAND_UPDATE);
    return count;
}

static bool is_level3(const struct blas_call *call)
{
    return call->c.pointer != NULL;
}

bool execute_supported(struct device *device, const struct blas_call *call)
{
    return is_level3(call) ? level3_supported(device, call) : launch_supported(call);
}

/* The call as the device sees it: operand addresses, contiguous vectors. */
struct device_call {
    struct blas_call call;
    struct blas_vector result; /* host vector that receives call.y; pointer NULL for level 3 */
};

static size_t scratch_bytes(const struct blas_vector *vector, enum blas_type type)
{
    return vector->pointer ? ((size_t)vector->length * blas_element_bytes(type) + 255) / 256 * 256 : 0;
}

static size_t vectors_scratch_bytes(const struct blas_call *call)
{
    size_t x = scratch_bytes(&call->x, call->type);
    return call->family == FAMILY_TRMV ? 2 * x : x + scratch_bytes(&call->y, call->type);
}

static enum status place_vector(struct lane *lane, const struct blas_vector *host, enum blas_type type, bool is_read,
                                struct blas_vector *device, struct transfer_count *moved)
{
    size_t bytes = (size_t)host->length * blas_element_bytes(type);
    CUdeviceptr address = lane_scratch(lane, bytes);
    *device = (struct blas_vector){.pointer = (void *)(uintptr_t)address, .length = host->length, .increment = 1};
    if (!is_read)
        return STATUS_OK;
    moved->bytes_up += bytes;
    return staging_upload_vector(lane, address, host, blas_element_bytes(type));
}

static bool y_is_read(const struct blas_call *call)
{
    return call->family == FAMILY_AXPY || !blas_scalar_is_zero(call->type, call->beta);
}

/* trmv reads x and writes a second vector that goes back to x's place (launch.h). */
static enum status place_vectors(struct lane *lane, const struct blas_call *call, struct device_call *device,
                                 struct transfer_count *moved)
{
    enum status status;
    if (is_level3(call))
        return STATUS_OK;
    status = place_vector(lane, &call->x, call->type, true, &device->call.x, moved);
    if (status != STATUS_OK)
        return status;
    if (call->family == FAMILY_TRMV) {
        device->result = call->x;
        return place_vector(lane, &call->x, call->type, false, &device->call.y, moved);
    }
    device->result = call->y;
    return place_vector(lane, &call->y, call->type, y_is_read(call), &device->call.y, moved);
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

/* The first wait inside is also the first since the launch: a failure may be the
 * kernel's, and then there is nothing to fetch again. The program's vector stays whole
 * until all has arrived, so that the host can do the call: one longer than a staged
 * copy comes through private memory. */
static enum status fetch_vector(struct lane *lane, const struct blas_vector *host, CUdeviceptr source,
                                enum blas_type type)
{
    size_t element = blas_element_bytes(type), bytes = (size_t)host->length * element;
    if (bytes <= STAGING_PIECE_BYTES)
        return staging_download_vector(lane, host, source, element);
    struct blas_vector private = {.pointer = malloc(bytes), .length = host->length, .increment = 1};
    if (!private.pointer)
        return STATUS_OUT_OF_MEMORY;
    enum status status = staging_download_vector(lane, &private, source, element);
    if (status == STATUS_OK) {
        char *to = host->pointer, *from = private.pointer;
        int64_t step = host->increment * (int64_t)element;
        if (step < 0)
            to -= (host->length - 1) * step;
        for (int64_t i = 0; i < host->length; i++)
            memcpy(to + i * step, from + i * (int64_t)element, element);
    }
    free(private.pointer);
    return status;
}

static enum status finish(struct lane *lane, struct operands_hold *hold, const struct device_call *device,
                          struct transfer_count *moved)
{
    enum blas_type type = device->call.type;
    phase_enter(PHASE_FINISH);
    if (!device->result.pointer) {
        enum status status = lane_synchronise(lane, "running a level 3 routine");
        phase_enter(PHASE_RESULT);
        return status == STATUS_OK ? operands_write_back(hold) : status;
    }
    CUdeviceptr source = (CUdeviceptr)(uintptr_t)device->call.y.pointer;
    enum status status = fetch_vector(lane, &device->result, source, type);
    if (status != STATUS_OK) {
        lane->broken = true;
        return status;
    }
    moved->bytes_down += (size_t)device->result.length * blas_element_bytes(type);
    return operands_write_back(hold); /* of no output; it settles that the uploads arrived */
}

static enum status start(struct lane *lane, const struct device_call *device)
{
    return is_level3(&device->call) ? level3_run(lane, &device->call) : launch(lane, &device->call);
}

/* Look for host writes while the kernel runs; if there were any it runs again, on its
 * first operands: the y that it updated is sent once more. */
static enum status prove(struct lane *lane, struct operands_hold *hold, const struct blas_call *call,
                         const struct device_call *device, struct transfer_count *moved)
{
    bool changed;
    enum status status = operands_prove(hold, &changed);
    if (status != STATUS_OK || !changed)
        return status;
    if (call->y.pointer && y_is_read(call)) {
        size_t element = blas_element_bytes(call->type);
        moved->bytes_up += (size_t)call->y.length * element;
        status = staging_upload_vector(lane, (CUdeviceptr)(uintptr_t)device->call.y.pointer, &call->y, element);
    }
    return status == STATUS_OK ? start(lane, device) : status;
}

typedef enum status hold_function(struct mirror_table *, struct lane *, struct operand *, int, size_t,
                                  struct operands_hold **);

static enum status run_in_lane(struct lane *lane, struct mirror_table *mirrors, hold_function *take_hold,
                               const struct blas_call *call, struct transfer_count *moved)
{
    struct operand operands[OPERANDS_MAX];
    struct device_call device = {.call = *call};
    struct operands_hold *hold = NULL;
    struct transfer_count matrices;
    int count = execute_operands(call, operands);
    enum status status = take_hold(mirrors, lane, operands, count, vectors_scratch_bytes(call), &hold);
    if (status != STATUS_OK)
        return status;
    place_operands(&device.call, operands);
    phase_enter(PHASE_VECTORS);
    status = place_vectors(lane, call, &device, moved);
    phase_enter(PHASE_LAUNCH);
    if (status == STATUS_OK)
        status = start(lane, &device);
    phase_enter(PHASE_OTHER);
    if (status == STATUS_OK)
        status = prove(lane, hold, call, &device, moved);
    if (status == STATUS_OK)
        status = finish(lane, hold, &device, moved);
    else
        lane_synchronise(lane, "abandoning a call"); /* queued copies still read staging memory */
    phase_enter(PHASE_OTHER);
    operands_release(hold, &matrices);
    moved->bytes_up += matrices.bytes_up;
    moved->bytes_down += matrices.bytes_down;
    return status;
}

enum status execute_call(struct device *device, struct mirror_table *mirrors, const struct blas_call *call,
                         struct transfer_count *moved)
{
    struct device_scope scope;
    struct lane *lane;
    *moved = (struct transfer_count){0, 0};
    enum status status = device_enter(device, &scope);
    if (status != STATUS_OK)
        return status;
    status = lane_acquire(device, &lane);
    if (status == STATUS_OK) {
        status = run_in_lane(lane, mirrors, operands_hold_unproven, call, moved);
        if (status == STATUS_NOT_TRACKABLE) /* memory changed hands beside the kernel */
            status = run_in_lane(lane, mirrors, operands_hold, call, moved);
        lane_release(lane);
    }
    device_leave(device, &scope);
    return status;
}

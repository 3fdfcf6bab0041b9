#include "interpose/execute/execute.h"
#include "common/phase_clock.h"
#include "common/progress.h"
#include "gpu/launch.h"
#include "gpu/vendor/level3.h"
#include "interpose/execute/call_vectors.h"
#include "mirror/host_memory/protection.h"

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

static enum status finish(struct lane *lane, struct operands_hold *hold, struct call_vectors *vectors,
                          struct transfer_count *moved)
{
    enum status status;
    phase_enter(PHASE_FINISH);
    if (vectors->source.pointer)
        status = call_vectors_fetch(vectors, moved);
    else
        status = lane_synchronise(lane, "running a level 3 routine");
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
    enum status status = operands_hold(mirrors, NULL, &call->patience, call->operands, call->operand_count,
                                       call_vectors_scratch(&call->blas), way, &hold);
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

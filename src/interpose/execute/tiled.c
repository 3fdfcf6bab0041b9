#include "interpose/execute/tiled.h"
#include "common/log.h"
#include "common/phase_clock.h"
#include "common/progress.h"
#include "gpu/level3.h"
#include "interpose/execute/tile_plan.h"
#include "mirror/transfer/staging.h"

enum { COPIES = 2, FACTORS = 2, LD_BYTES = 16 };

/* A place on the device for blocks of one operand, one after the other. */
struct buffer {
    CUdeviceptr address;
    struct blas_matrix holds; /* host matrix; pointer NULL: nothing */
    CUevent arrived;          /* what it holds, in the copying lane's stream */
    CUevent done;             /* with what it held, in the computing lane's */
    bool in_use;              /* `done` was recorded and means something */
};

struct tiled {
    struct device *device;
    struct lane *lane, *copies; /* the same where there is no second */
    struct tile_plan plan;
    size_t element_bytes;
    CUdeviceptr tile;
    struct buffer buffers[FACTORS][COPIES];
    int latest[FACTORS]; /* which of a factor's buffers the latest step used */
    struct transfer_count *moved;
    bool delivered; /* a tile has come back: the host cannot do the call from the start */
};

static int64_t device_ld(const struct tiled *tiled, const struct blas_matrix *matrix)
{
    size_t bytes = (size_t)matrix->rows * tiled->element_bytes;
    return (int64_t)((bytes + LD_BYTES - 1) / LD_BYTES * LD_BYTES / tiled->element_bytes);
}

static uint64_t bytes_of(const struct tiled *tiled, const struct blas_matrix *matrix)
{
    uint64_t rows = (uint64_t)matrix->rows, columns = (uint64_t)matrix->columns;
    return (matrix->part == PART_FULL ? rows * columns : rows * (rows + 1) / 2) * tiled->element_bytes;
}

static struct blas_matrix on_device(const struct tiled *tiled, const struct blas_matrix *matrix,
                                    CUdeviceptr address)
{
    struct blas_matrix result = *matrix;
    result.pointer = (void *)(uintptr_t)address;
    result.ld = device_ld(tiled, matrix);
    return result;
}

static enum status upload(struct tiled *tiled, struct lane *lane, const struct blas_matrix *matrix,
                          CUdeviceptr address)
{
    enum status status =
        staging_upload_part(lane, address, device_ld(tiled, matrix), matrix, tiled->element_bytes);
    if (status == STATUS_OK)
        tiled->moved->bytes_up += bytes_of(tiled, matrix);
    return status;
}

static enum status check(const struct tiled *tiled, CUresult result)
{
    return device_check(tiled->device, result, "ordering copies and products of tiles");
}

static bool same_block(const struct blas_matrix *one, const struct blas_matrix *other)
{
    return one->pointer == other->pointer && one->ld == other->ld && one->rows == other->rows &&
           one->columns == other->columns && one->part == other->part;
}

/* What the buffer held must have been used before something else comes. */
static enum status refill(struct tiled *tiled, struct buffer *buffer, const struct blas_matrix *matrix)
{
    enum status status = STATUS_OK;
    buffer->holds.pointer = NULL;
    if (buffer->in_use)
        status = check(tiled, driver()->stream_wait_event(tiled->copies->stream, buffer->done, 0));
    if (status == STATUS_OK)
        status = upload(tiled, tiled->copies, matrix, buffer->address);
    if (status == STATUS_OK)
        status = check(tiled, driver()->event_record(buffer->arrived, tiled->copies->stream));
    if (status == STATUS_OK)
        status = check(tiled, driver()->stream_wait_event(tiled->lane->stream, buffer->arrived, 0));
    if (status == STATUS_OK)
        buffer->holds = *matrix;
    return status;
}

/* Have the block on the device before the step that is queued next; *matrix becomes the device's.
 * What a buffer holds does not change on the host while the call runs: see tile_plan.h. */
static enum status provide(struct tiled *tiled, int factor, struct blas_matrix *matrix, struct buffer **used)
{
    enum status status = STATUS_OK;
    int which = 0;
    while (which < COPIES && !same_block(&tiled->buffers[factor][which].holds, matrix))
        which++;
    if (which == COPIES) {
        which = (tiled->latest[factor] + 1) % COPIES;
        status = refill(tiled, &tiled->buffers[factor][which], matrix);
    }
    tiled->latest[factor] = which;
    *used = &tiled->buffers[factor][which];
    *matrix = on_device(tiled, matrix, (*used)->address);
    return status;
}

static bool is_read(const struct tiled *tiled)
{
    const struct blas_call *call = &tiled->plan.call;
    return blas_is_in_place(call) || !blas_scalar_is_zero(call->type, call->beta);
}

static enum status run_step(struct tiled *tiled, const struct tile_step *step)
{
    struct blas_call call = step->call;
    struct blas_matrix *factors[FACTORS] = {&call.a, &call.b};
    struct buffer *used[FACTORS] = {NULL};
    enum status status = STATUS_OK;
    phase_enter(PHASE_UPLOAD);
    if (step->first && is_read(tiled))
        status = upload(tiled, tiled->lane, &call.c, tiled->tile);
    for (int i = 0; i < FACTORS && status == STATUS_OK; i++)
        if (factors[i]->pointer)
            status = provide(tiled, i, factors[i], &used[i]);
    call.c = on_device(tiled, &call.c, tiled->tile);
    phase_enter(PHASE_LAUNCH);
    if (status == STATUS_OK)
        status = level3_run(tiled->lane, &call);
    for (int i = 0; i < FACTORS && status == STATUS_OK; i++) {
        if (!used[i])
            continue;
        status = check(tiled, driver()->event_record(used[i]->done, tiled->lane->stream));
        used[i]->in_use = true;
    }
    return status;
}

/* The first wait of a tile, so a failure may be any step's; nothing has been written then. */
static enum status deliver(struct tiled *tiled, const struct tile_step *step)
{
    const struct blas_matrix *matrix = &step->call.c;
    bool touched = false;
    enum status status = STATUS_OK;
    phase_enter(PHASE_FINISH);
    status = lane_synchronise(tiled->lane, "running a tile of a level 3 routine");
    progress_tell();
    phase_enter(PHASE_RESULT);
    for (int attempt = 0; attempt < 2 && status == STATUS_OK; attempt++) {
        status = staging_download_part(tiled->lane, matrix, tiled->tile, device_ld(tiled, matrix),
                                       tiled->element_bytes, &touched);
        if (status == STATUS_OK) {
            tiled->moved->bytes_down += bytes_of(tiled, matrix);
            tiled->delivered = true;
            return STATUS_OK;
        }
        if (attempt == 0 && device_is_usable(tiled->device))
            status = STATUS_OK; /* once more, from device memory */
    }
    return touched && is_read(tiled) ? STATUS_RESULT_LOST : status;
}

/* The steps from the tile on that the device did not finish. */
static enum status finish_on_host(struct tiled *tiled, struct tile_step *step, const struct host_steps *host)
{
    log_message(LOG_WARNING,
                "the device failed in the middle of a large level 3 call; the host does the rest");
    tile_plan_rewind(&tiled->plan, step);
    while (tile_plan_next(&tiled->plan, step))
        if (!host->run(host->context, &step->call))
            return STATUS_RESULT_LOST;
    return STATUS_OK;
}

static enum status run_all(struct tiled *tiled, const struct host_steps *host)
{
    struct tile_step step;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && tile_plan_next(&tiled->plan, &step)) {
        status = run_step(tiled, &step);
        if (status == STATUS_OK && step.last)
            status = deliver(tiled, &step);
    }
    if (status == STATUS_OK)
        return status;
    /* Queued copies still read staging memory, and steps the buffers. */
    lane_synchronise(tiled->lane, "abandoning a tile");
    lane_synchronise(tiled->copies, "abandoning a tile");
    return tiled->delivered && status != STATUS_RESULT_LOST ? finish_on_host(tiled, &step, host) : status;
}

static enum status create_events(struct tiled *tiled)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < FACTORS * COPIES && status == STATUS_OK; i++) {
        struct buffer *buffer = &tiled->buffers[i / COPIES][i % COPIES];
        status = check(tiled, driver()->event_create(&buffer->arrived, CU_EVENT_DISABLE_TIMING));
        if (status == STATUS_OK)
            status = check(tiled, driver()->event_create(&buffer->done, CU_EVENT_DISABLE_TIMING));
    }
    return status;
}

static void destroy_events(struct tiled *tiled)
{
    for (int i = 0; i < FACTORS * COPIES && device_is_usable(tiled->device); i++) {
        struct buffer *buffer = &tiled->buffers[i / COPIES][i % COPIES];
        if (buffer->arrived)
            driver()->event_destroy(buffer->arrived);
        if (buffer->done)
            driver()->event_destroy(buffer->done);
    }
}

/* Deal the memory: the tile, then the buffers. */
static void deal(struct tiled *tiled, CUdeviceptr address)
{
    const uint64_t bytes[FACTORS] = {tile_plan_a_bytes(&tiled->plan), tile_plan_b_bytes(&tiled->plan)};
    tiled->tile = address;
    address += tile_plan_tile_bytes(&tiled->plan);
    for (int i = 0; i < FACTORS * COPIES; i++) {
        tiled->buffers[i / COPIES][i % COPIES].address = address;
        address += bytes[i / COPIES];
    }
}

/* Fewest and most bytes that make sense; false where not even the fewest are to be had. */
static bool wanted_bytes(const struct mirror_table *mirrors, const struct blas_call *call, uint64_t *fewest,
                         uint64_t *most)
{
    struct tile_plan plan;
    const uint64_t budget = operands_budget(mirrors);
    if (!tile_plan_make(&plan, call, budget))
        return false;
    *most = tile_plan_bytes(&plan);
    *fewest = *most / 64; /* smaller blocks would take too long for what they do */
    while (*fewest < *most && !tile_plan_make(&plan, call, *fewest))
        *fewest = 2 * *fewest + 1;
    *fewest = *fewest < *most ? *fewest : *most;
    return true;
}

bool tiled_residency(const struct mirror_table *mirrors, const struct blas_call *call,
                     const struct operand *operands, int count, struct residency *residency)
{
    struct tile_plan plan;
    if (!blas_is_level3(call) || operands_fit(mirrors, operands, count) ||
        !tile_plan_make(&plan, call, operands_budget(mirrors)))
        return false;
    *residency = (struct residency){.missing_bytes = (uint64_t)tile_plan_bytes_up(&plan)};
    residency->bytes = residency->missing_bytes;
    return true;
}

static enum status run_in_memory(struct tiled *tiled, CUdeviceptr memory, const struct host_steps *host)
{
    deal(tiled, memory);
    tiled->copies = lane_acquire_another(tiled->device);
    if (!tiled->copies)
        tiled->copies = tiled->lane;
    enum status status = create_events(tiled);
    if (status == STATUS_OK)
        status = run_all(tiled, host);
    destroy_events(tiled);
    if (tiled->copies != tiled->lane)
        lane_release(tiled->copies);
    return status;
}

enum status tiled_run(struct device *device, struct mirror_table *mirrors, struct lane *lane,
                      const struct blas_call *call, const struct host_steps *host,
                      struct transfer_count *moved)
{
    struct tiled tiled = {.device = device, .lane = lane, .moved = moved,
                          .element_bytes = blas_element_bytes(call->type)};
    CUdeviceptr memory;
    uint64_t fewest, most;
    size_t bytes;
    if (!wanted_bytes(mirrors, call, &fewest, &most))
        return STATUS_OUT_OF_MEMORY;
    phase_enter(PHASE_MEMORY);
    enum status status = operands_borrow(mirrors, fewest, most, &memory, &bytes);
    if (status != STATUS_OK)
        return status;
    if (tile_plan_make(&tiled.plan, call, bytes)) {
        log_message(LOG_INFO, "a level 3 call of %lld x %lld runs in tiles of %lld x %lld",
                    (long long)call->c.rows, (long long)call->c.columns, (long long)tiled.plan.rows,
                    (long long)tiled.plan.columns);
        status = run_in_memory(&tiled, memory, host);
    } else {
        status = STATUS_OUT_OF_MEMORY;
    }
    phase_enter(PHASE_OTHER);
    operands_return(mirrors, memory, bytes);
    return status;
}

#include "interpose/execute/tile_runner.h"
#include "common/clock.h"
#include "common/log.h"
#include "gpu/vendor/vendor_library.h"
#include "mirror/transfer/transfer.h"

enum { LD_BYTES = 16 };

static int64_t device_ld(const struct tile_runner *runner, const struct blas_matrix *matrix)
{
    size_t bytes = (size_t)matrix->rows * runner->element_bytes;
    return (int64_t)((bytes + LD_BYTES - 1) / LD_BYTES * LD_BYTES / runner->element_bytes);
}

static uint64_t bytes_of(const struct tile_runner *runner, const struct blas_matrix *matrix)
{
    uint64_t rows = (uint64_t)matrix->rows, columns = (uint64_t)matrix->columns;
    return (matrix->part == PART_FULL ? rows * columns : rows * (rows + 1) / 2) * runner->element_bytes;
}

static struct blas_matrix on_device(const struct tile_runner *runner, const struct blas_matrix *matrix,
                                    CUdeviceptr address)
{
    struct blas_matrix result = *matrix;
    result.pointer = (void *)(uintptr_t)address;
    result.ld = device_ld(runner, matrix);
    return result;
}

static enum status upload(struct tile_runner *runner, struct lane *lane, const struct blas_matrix *matrix,
                          CUdeviceptr address)
{
    const enum status status = part_upload(lane, address, device_ld(runner, matrix), matrix,
                                           runner->element_bytes, runner->is_pinned);
    if (status == STATUS_OK)
        runner->moved->bytes_up += bytes_of(runner, matrix);
    return status;
}

static enum status check_result(const struct tile_runner *runner, CUresult result)
{
    return device_check(runner->device, result, "ordering copies and products of tiles");
}

static bool same_block(const struct blas_matrix *one, const struct blas_matrix *other)
{
    return one->pointer == other->pointer && one->ld == other->ld && one->rows == other->rows &&
           one->columns == other->columns && one->part == other->part;
}

/* The block that the buffer held must have been used before another comes. */
static enum status refill(struct tile_runner *runner, struct tile_buffer *buffer,
                          const struct blas_matrix *matrix)
{
    enum status status = STATUS_OK;
    buffer->holds.pointer = NULL;
    if (buffer->in_use)
        status = check_result(runner, driver()->stream_wait_event(runner->copies->stream, buffer->done, 0));
    if (status == STATUS_OK)
        status = upload(runner, runner->copies, matrix, buffer->address);
    if (status == STATUS_OK)
        status = check_result(runner, driver()->event_record(buffer->arrived, runner->copies->stream));
    if (status == STATUS_OK)
        status = check_result(runner, driver()->stream_wait_event(runner->lane->stream, buffer->arrived, 0));
    if (status == STATUS_OK)
        buffer->holds = *matrix;
    return status;
}

/* Have the block on the device before the step that is queued next; *matrix becomes the device's.
 * The block in a buffer does not change on the host while the call runs: see tile_plan.c. */
static enum status provide(struct tile_runner *runner, int factor, struct blas_matrix *matrix,
                           struct tile_buffer **used)
{
    enum status status = STATUS_OK;
    int which = 0;
    while (which < TILE_COPIES && !same_block(&runner->buffers[factor][which].holds, matrix))
        which++;
    if (which == TILE_COPIES) {
        which = (runner->latest[factor] + 1) % TILE_COPIES;
        status = refill(runner, &runner->buffers[factor][which], matrix);
    }
    runner->latest[factor] = which;
    *used = &runner->buffers[factor][which];
    *matrix = on_device(runner, matrix, (*used)->address);
    return status;
}

static bool is_read(const struct tile_runner *runner)
{
    const struct blas_call *call = &runner->plan.call;
    return blas_is_in_place(call) || !blas_scalar_is_zero(call->type, call->beta);
}

static enum status run_step(struct tile_runner *runner, const struct tile_step *step)
{
    struct blas_call call = step->call;
    struct blas_matrix *factors[TILE_FACTORS] = {&call.a, &call.b};
    struct tile_buffer *used[TILE_FACTORS] = {NULL};
    enum status status = STATUS_OK;
    phase_enter(PHASE_UPLOAD);
    if (step->first && is_read(runner))
        status = upload(runner, runner->lane, &call.c, runner->tile);
    for (int i = 0; i < TILE_FACTORS && status == STATUS_OK; i++)
        if (factors[i]->pointer)
            status = provide(runner, i, factors[i], &used[i]);
    call.c = on_device(runner, &call.c, runner->tile);
    phase_enter(PHASE_LAUNCH);
    if (status == STATUS_OK)
        status = level3_run(runner->lane, &call);
    for (int i = 0; i < TILE_FACTORS && status == STATUS_OK; i++) {
        if (!used[i])
            continue;
        status = check_result(runner, driver()->event_record(used[i]->done, runner->lane->stream));
        used[i]->in_use = true;
    }
    return status;
}

static enum status download(struct tile_runner *runner, const struct blas_matrix *matrix, bool *touched)
{
    return part_download(runner->lane, matrix, runner->tile, device_ld(runner, matrix), runner->element_bytes,
                         runner->is_pinned, touched);
}

/* While the device works on it. */
static void keep_original(struct tile_runner *runner, const struct blas_matrix *matrix)
{
    if (!is_read(runner))
        return;
    originals_note(runner->lane, matrix, runner->element_bytes, true);
    originals_begin(runner->lane);
    originals_await(runner->lane);
}

/* The first wait of a tile, so a failure may be any step's; nothing has been written then. */
static enum status bring_home(struct tile_runner *runner, const struct blas_matrix *matrix)
{
    bool touched = false;
    enum status status = lane_synchronise(runner->lane, "running a tile of a level 3 routine");
    progress_tell();
    phase_enter(PHASE_RESULT);
    for (int attempt = 0; attempt < 2 && status == STATUS_OK; attempt++) {
        status = download(runner, matrix, &touched);
        if (status == STATUS_OK) {
            runner->moved->bytes_down += bytes_of(runner, matrix);
            runner->delivered = true;
            return STATUS_OK;
        }
        if (attempt == 0 && device_is_usable(runner->device))
            status = STATUS_OK; /* once more, from device memory */
    }
    return touched && is_read(runner) && !originals_restore(runner->lane) ? STATUS_RESULT_LOST : status;
}

static enum status deliver(struct tile_runner *runner, const struct tile_step *step)
{
    phase_enter(PHASE_FINISH);
    keep_original(runner, &step->call.c);
    const enum status status = bring_home(runner, &step->call.c);
    originals_forget(runner->lane);
    return status;
}

static enum status create_events(struct tile_runner *runner)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < TILE_FACTORS * TILE_COPIES && status == STATUS_OK; i++) {
        struct tile_buffer *buffer = &runner->buffers[i / TILE_COPIES][i % TILE_COPIES];
        status = check_result(runner, driver()->event_create(&buffer->arrived, CU_EVENT_DISABLE_TIMING));
        if (status == STATUS_OK)
            status = check_result(runner, driver()->event_create(&buffer->done, CU_EVENT_DISABLE_TIMING));
    }
    return status;
}

static void destroy_events(struct tile_runner *runner)
{
    for (int i = 0; i < TILE_FACTORS * TILE_COPIES && device_is_usable(runner->device); i++) {
        struct tile_buffer *buffer = &runner->buffers[i / TILE_COPIES][i % TILE_COPIES];
        if (buffer->arrived)
            driver()->event_destroy(buffer->arrived);
        if (buffer->done)
            driver()->event_destroy(buffer->done);
    }
}

/* Deal the memory: the tile, then the buffers. */
static void deal(struct tile_runner *runner, CUdeviceptr address)
{
    const uint64_t bytes[TILE_FACTORS] = {tile_plan_a_bytes(&runner->plan), tile_plan_b_bytes(&runner->plan)};
    runner->tile = address;
    address += tile_plan_tile_bytes(&runner->plan);
    for (int i = 0; i < TILE_FACTORS * TILE_COPIES; i++) {
        runner->buffers[i / TILE_COPIES][i % TILE_COPIES].address = address;
        address += bytes[i / TILE_COPIES];
    }
}

enum status tile_runner_open(struct tile_runner *runner, CUdeviceptr memory)
{
    deal(runner, memory);
    runner->copies = lane_acquire_another(runner->device);
    if (!runner->copies)
        runner->copies = runner->lane;
    return create_events(runner);
}

void tile_runner_close(struct tile_runner *runner)
{
    destroy_events(runner);
    if (runner->copies != runner->lane)
        lane_release(runner->copies);
}

bool tile_runner_run(struct tile_runner *runner, struct tile_step *step, enum status *status)
{
    *status = STATUS_OK;
    do {
        if (!tile_plan_next(&runner->plan, step))
            return false;
        *status = run_step(runner, step);
    } while (*status == STATUS_OK && !step->last);
    if (*status == STATUS_OK)
        *status = deliver(runner, step);
    if (*status != STATUS_OK) { /* queued copies still read staging memory, and steps the buffers */
        lane_synchronise(runner->lane, "abandoning a tile");
        lane_synchronise(runner->copies, "abandoning a tile");
    }
    return true;
}

/* The steps from the tile on that the device did not finish. */
static enum status finish_on_host(struct tile_plan *plan, struct tile_step *step,
                                  const struct host_steps *host)
{
    log_message(LOG_WARNING,
                "the device failed in the middle of a large level 3 call; the host does the rest");
    tile_plan_rewind(plan, step);
    while (tile_plan_next(plan, step))
        if (!host->run(host->context, &step->call))
            return STATUS_RESULT_LOST;
    return STATUS_OK;
}

static enum status run_all(struct tile_runner *runner, const struct host_steps *host)
{
    struct tile_step step;
    enum status status;
    while (tile_runner_run(runner, &step, &status) && status == STATUS_OK)
        ;
    if (status == STATUS_OK || status == STATUS_RESULT_LOST || !runner->delivered)
        return status;
    return finish_on_host(&runner->plan, &step, host);
}

static enum status run_in_memory(struct tile_runner *runner, CUdeviceptr memory,
                                 const struct host_steps *host)
{
    enum status status = tile_runner_open(runner, memory);
    if (status == STATUS_OK)
        status = run_all(runner, host);
    tile_runner_close(runner);
    return status;
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

enum status tiled_run(struct device *device, struct mirror_table *mirrors, struct lane *lane,
                      const struct blas_call *call, const struct host_steps *host,
                      struct transfer_count *moved)
{
    struct tile_runner runner = {.device = device, .lane = lane, .moved = moved,
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
    if (tile_plan_make(&runner.plan, call, bytes)) {
        log_message(LOG_INFO, "a level 3 call of %lld x %lld runs in tiles of %lld x %lld",
                    (long long)call->c.rows, (long long)call->c.columns, (long long)runner.plan.rows,
                    (long long)runner.plan.columns);
        status = run_in_memory(&runner, memory, host);
    } else {
        status = STATUS_OUT_OF_MEMORY;
    }
    phase_enter(PHASE_OTHER);
    operands_return(mirrors, memory, bytes);
    return status;
}

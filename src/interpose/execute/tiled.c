#include "interpose/execute/tiled.h"
#include "common/log.h"
#include "common/phase_clock.h"
#include "interpose/execute/tile_runner.h"

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

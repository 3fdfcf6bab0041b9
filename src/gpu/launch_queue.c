#include "gpu/launch.h"

#include "common/log.h"
#include "gpu/launch_plan.h"

#include <limits.h>

void launch_plan_scalars(struct launch_plan *plan, const void *alpha, const void *beta)
{
    if (plan->family == FAMILY_AXPY) {
        plan->arguments.vector.alpha_address = alpha;
    } else {
        plan->arguments.matrix_vector.alpha_address = alpha;
        plan->arguments.matrix_vector.beta_address = beta;
    }
}

unsigned launch_plan_blocks(const struct launch_plan *plan, int multiprocessors)
{
    const int64_t most = (int64_t)plan->blocks_per_multiprocessor * multiprocessors;
    if (most > 0 && plan->items > most)
        return (unsigned)most;
    return plan->items < INT_MAX ? (unsigned)plan->items : INT_MAX;
}

CUresult launch_queue(struct launch_plan *plan, const struct launch_target *target)
{
    const unsigned blocks = launch_plan_blocks(plan, target->kernels->multiprocessors);
    CUfunction function;
    CUresult result = kernel_set_function(target->kernels, plan->kernel, plan->shared_bytes, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (plan->family != FAMILY_AXPY) {
        plan->arguments.matrix_vector.partials = (void *)(uintptr_t)target->workspace;
        plan->arguments.matrix_vector.counters = (unsigned *)(uintptr_t)target->counters;
    }
    log_message(LOG_DEBUG, "launching %s, %u blocks of %u threads", kernel_name(plan->kernel), blocks,
                plan->threads);
    void *parameters[] = {&plan->arguments};
    return driver()->launch_kernel(function, blocks, 1, 1, plan->threads, 1, 1, (unsigned)plan->shared_bytes,
                                   target->stream, parameters, NULL);
}

enum status launch(struct lane *lane, const struct blas_call *call)
{
    struct launch_plan plan;
    enum status status = launch_plan_make_at(device_place(lane->device), call, &plan);
    if (status == STATUS_OK)
        status = lane_reserve_workspace(lane, plan.workspace_bytes, plan.counter_bytes);
    if (status != STATUS_OK)
        return status;
    const struct launch_target target = {device_kernels(lane->device), lane->stream, lane->workspace,
                                         lane->counters};
    status = device_check(lane->device, launch_queue(&plan, &target), kernel_name(plan.kernel));
    if (status != STATUS_OK)
        lane->broken = true;
    return status;
}

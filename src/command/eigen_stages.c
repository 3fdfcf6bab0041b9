#include "command/eigen_stages.h"
#include "lapack/eigensolver/own_eigen.h"
#include "lapack/eigensolver/two_stage/two_stage.h"
#include "tuner/learn/timing/graph_replay.h"
#include "tuner/learn/timing/tuning_pool.h"

/* Each way after its matrix. */
enum step { MATRIX_OF_ONE, ONE_STAGE, MATRIX_OF_TWO, TWO_STAGES, STEPS };
enum { POOL_BYTES = 1 << 20 };

struct stage_timer {
    bool is_good;
    struct device *device;
    struct device_scope scope;
    struct tuning_pool pool;
    struct solver_handle handle;
};

struct stage_work {
    struct stage_timer *timer;
    struct own_eigen eigen;
    size_t matrix_bytes, workspace_bytes;
    CUdeviceptr workspace;
};

static bool open_timer(struct stage_timer *timer)
{
    const struct solver_library *library;
    struct lane *lane;
    return device_wake(&timer->device) == STATUS_OK &&
           device_properties(timer->device)->has_cooperative_launch &&
           device_enter(timer->device, &timer->scope) == STATUS_OK && graph_replay_open() &&
           solver_library_open(timer->device, &library) == STATUS_OK &&
           lane_acquire(timer->device, &lane) == STATUS_OK &&
           tuning_pool_open(&timer->pool, lane, POOL_BYTES, POOL_BYTES) == STATUS_OK &&
           solver_handle_create(library, lane->stream, &timer->handle) == STATUS_OK;
}

static enum status queue_step(void *context, int step)
{
    struct stage_work *const work = context;
    if (step == MATRIX_OF_ONE || step == MATRIX_OF_TWO)
        return tuning_pool_fill(&work->timer->pool, work->eigen.call.a, work->matrix_bytes);
    work->eigen.way = step == ONE_STAGE ? OWN_EIGEN_ONE_STAGE : OWN_EIGEN_TWO_STAGES;
    return own_eigen_run(&work->timer->handle, &work->eigen, work->workspace, work->workspace_bytes, NULL, 0);
}

/* Else the eigensolver would take one stage, and both ways as long. */
static bool has_two_stages(const struct stage_work *work)
{
    const struct solver_eigen_call *const call = &work->eigen.call;
    const struct two_stage two_stage = {.type = call->type, .uplo = call->uplo, .n = call->n,
                                        .lda = call->lda, .with_vectors = call->vectors};
    size_t bytes;
    return two_stage_workspace(&work->timer->handle, &two_stage, &bytes) == STATUS_OK;
}

/* The larger of both. */
static bool ask_workspace(struct stage_work *work)
{
    if (!has_two_stages(work))
        return false;
    for (int way = OWN_EIGEN_ONE_STAGE; way <= OWN_EIGEN_TWO_STAGES; way++) {
        size_t bytes = 0, host_bytes = 0;
        work->eigen.way = (enum own_eigen_way)way;
        if (own_eigen_workspace(&work->timer->handle, &work->eigen, &bytes, &host_bytes) != STATUS_OK)
            return false;
        work->workspace_bytes = bytes > work->workspace_bytes ? bytes : work->workspace_bytes;
    }
    return true;
}

static bool time_ways(struct stage_timer *timer, enum blas_type type, int64_t n, int64_t vectors,
                      double seconds[STEPS])
{
    const size_t element = blas_element_bytes(type), values = device_aligned((size_t)n * element),
                 infos = device_aligned(2 * sizeof(int));
    const int64_t ld = n | 32; /* columns are no period of the random numbers */
    struct stage_work work = {.timer = timer,
                              .eigen = {.call = {.type = type, .vectors = vectors > 0, .uplo = UPLO_LOWER,
                                                 .n = n, .lda = ld},
                                        .count = vectors},
                              .matrix_bytes = device_aligned((size_t)(ld * n) * element)};
    struct solver_eigen_call *const call = &work.eigen.call;
    if (!ask_workspace(&work) ||
        device_allocate(timer->device, work.matrix_bytes + values + infos + work.workspace_bytes, &call->a) !=
            STATUS_OK)
        return false;
    call->w = call->a + work.matrix_bytes;
    call->info = call->w + values;
    work.workspace = call->info + infos;
    const bool good = graph_replay_sequence(STEPS, timer->pool.lane, queue_step, &work, seconds) == STATUS_OK;
    device_free(timer->device, call->a);
    return good;
}

bool eigen_stages_time(enum blas_type type, int64_t n, int64_t vectors, double *one_us, double *two_us)
{
    static struct stage_timer timer;
    static bool is_opened;
    double seconds[STEPS];
    if (!is_opened)
        timer.is_good = open_timer(&timer);
    is_opened = true;
    if (!timer.is_good || !time_ways(&timer, type, n, vectors, seconds))
        return false;
    *one_us = 1e6 * seconds[ONE_STAGE];
    *two_us = 1e6 * seconds[TWO_STAGES];
    return true;
}

#include "command/tune/tune.h"
#include "interpose/entries/pack.h"
#include "lapack/eigensolver/own_eigen.h"
#include "lapack/eigensolver/two_stage.h"
#include "mirror/pinning/pins.h"
#include "tuner/learn/shape_timer.h"
#include "tuner/learn/statistics.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 256 << 10 }; /* bytes of numbers, again and again */

/* Numbers as float from 1 to 2, as double from 2^-7 to 2: no sum overflows or underflows. */
static const char *numbers(void)
{
    static uint32_t words[NUMBERS / sizeof(uint32_t)];
    uint32_t state = 12345;
    for (size_t i = 0; i < NUMBERS / sizeof *words && !words[NUMBERS / sizeof *words - 1]; i++) {
        state = state * 1664525u + 1013904223u;
        words[i] = 0x3f800000u | state >> 9;
    }
    return (const char *)words;
}

static void fill_with_numbers(char *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += NUMBERS)
        memcpy(memory + at, numbers(), bytes - at < NUMBERS ? bytes - at : NUMBERS);
}

/* At other offsets in their pages: processors take a store to a place for one to another page's same
 * place. */
static bool provide_vectors(struct operand_pools *pools, size_t bytes)
{
    enum { PAGE = 4096, APART = PAGE / 2 + 64 };
    const size_t stride = (bytes + PAGE - 1) / PAGE * PAGE + APART;
    if (bytes <= pools->vector_bytes)
        return true;
    free(pools->vectors);
    pools->vectors = malloc(2 * stride + bytes);
    if (pools->vectors)
        fill_with_numbers(pools->vectors, 2 * stride + bytes);
    pools->x = pools->vectors;
    pools->y = pools->vectors + stride;
    pools->x_before = pools->vectors + 2 * stride;
    pools->vector_bytes = pools->vectors ? bytes : 0;
    return pools->vectors;
}

size_t operand_bytes(const struct blas_call *call, const struct blas_matrix *matrix)
{
    return (size_t)matrix->ld * (size_t)matrix->columns * blas_element_bytes(call->type);
}

/* The first `bytes` of a pool, with numbers in them; NULL: it has not as many. */
static char *provide(const struct operand_pools *pools, struct pool *pool, size_t bytes)
{
    if (bytes > pools->matrix_bytes || (!pool->memory && !(pool->memory = malloc(pools->matrix_bytes))))
        return NULL;
    if (bytes > pool->filled) {
        const size_t begin = pool->filled / sizeof(double) * sizeof(double);
        fill_with_numbers(pool->memory + begin, bytes - begin);
        pool->filled = bytes;
    }
    return pool->memory;
}

/* Zeros, where there is not as much already. */
static char *provide_result(struct operand_pools *pools, struct pool *pool, size_t bytes)
{
    pools->c_is_new = bytes > pool->filled;
    if (pools->c_is_new) {
        free(pool->memory);
        pool->memory = calloc(bytes, 1);
        pool->filled = pool->memory ? bytes : 0;
    }
    return pool->memory;
}

static bool provide_matrices(struct operand_pools *pools, struct blas_call *call)
{
    struct blas_matrix *matrices[] = {&call->a, &call->b, &call->c};
    struct pool *const c = pools->c[pools->side == SIDE_HOST ? call->type : 0];
    struct pool *const from[] = {pools->a, pools->b, c};
    pools->c_is_new = false;
    for (int i = 0; i < 3; i++) {
        const size_t bytes = operand_bytes(call, matrices[i]);
        const bool large = bytes >= PIN_BYTES_MIN;
        if (bytes && large && i == 2 && pools->side == SIDE_DEVICE)
            matrices[i]->pointer = provide_result(pools, &c[1], bytes);
        else if (bytes)
            matrices[i]->pointer = provide(pools, &from[i][large], bytes);
        if (bytes && !matrices[i]->pointer)
            return false;
    }
    return true;
}

bool operand_pools_prepare(struct operand_pools *pools, struct blas_call *call, int64_t lda)
{
    call->a.ld = call->b.ld = call->c.ld = INT64_MAX;
    call->x.increment = call->y.increment = 1;
    call->alpha = blas_scalar_of(call->type, blas_is_in_place(call) ? 2 : 1e-3);
    call->beta = blas_scalar_of(call->type, 0.5);
    if (!pack_legal(call))
        return false;
    call->a.ld = lda > call->a.rows ? lda : call->a.rows;
    call->b.ld = call->b.rows;
    call->c.ld = call->c.rows;
    const int64_t longest = call->x.length > call->y.length ? call->x.length : call->y.length;
    if (longest && !provide_vectors(pools, (size_t)longest * blas_element_bytes(call->type)))
        return false;
    call->x.pointer = longest ? pools->x : NULL;
    call->y.pointer = call->y.length ? pools->y : NULL;
    return provide_matrices(pools, call);
}

void operand_pools_renew_vector(const struct operand_pools *pools, const struct blas_call *call)
{
    memcpy(call->x.pointer, pools->x_before, (size_t)call->x.length * blas_element_bytes(call->type));
}

/* Each way after its matrix. */
enum step { MATRIX_OF_SMALL, WAY_OF_SMALL, MATRIX_OF_LARGE, WAY_OF_LARGE, STEPS };
enum { POOL_BYTES = 1 << 20 };

struct way_timer {
    bool is_good;
    struct device *device;
    struct device_scope scope;
    struct tuning_pool pool;
    struct solver_handle handle;
};

/* `reduction` of a cluster's border, `eigen` of the others. */
struct way_work {
    struct way_timer *timer;
    bool is_reduction;
    struct own_eigen eigen;
    struct tridiagonalisation reduction;
    size_t matrix_bytes, workspace_bytes;
    CUdeviceptr matrix, workspace;
};

static bool open_timer(struct way_timer *timer)
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

static enum status queue_step(void *context, int number)
{
    struct way_work *const work = context;
    const struct solver_handle *const handle = &work->timer->handle;
    const int step = number % STEPS;
    if (step == MATRIX_OF_SMALL || step == MATRIX_OF_LARGE)
        return tuning_pool_fill(&work->timer->pool, work->matrix, work->matrix_bytes);
    work->eigen.way = step == WAY_OF_SMALL ? OWN_EIGEN_ONE_STAGE : OWN_EIGEN_TWO_STAGES;
    work->reduction.cluster_to = step == WAY_OF_SMALL ? work->reduction.n : 1;
    return work->is_reduction
               ? tridiagonalisation_queue(handle, &work->reduction, work->workspace, work->workspace_bytes)
               : own_eigen_run(handle, &work->eigen, work->workspace, work->workspace_bytes, NULL, 0);
}

/* Else the eigensolver would take one stage, and both ways as long. */
static bool has_two_stages(const struct way_work *work)
{
    const struct solver_eigen_call *const call = &work->eigen.call;
    const struct two_stage two_stage = {.type = call->type, .uplo = call->uplo, .n = call->n,
                                        .lda = call->lda, .with_vectors = call->vectors};
    size_t bytes;
    return two_stage_workspace(&work->timer->handle, &two_stage, &bytes) == STATUS_OK;
}

/* The larger of both. */
static bool ask_eigen(struct way_work *work)
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

/* Asks for the workspace, which serves both ways, if a cluster has room for the matrix. */
static bool ask_reduction(struct way_work *work)
{
    struct tridiagonalisation *const reduction = &work->reduction;
    struct chip_plan plan;
    reduction->cluster_to = 1;
    return chip_plan_cluster(work->timer->device, reduction->type, reduction->n, &plan) == STATUS_OK &&
           tridiagonalisation_workspace(&work->timer->handle, reduction, &work->workspace_bytes) == STATUS_OK;
}

static bool time_ways(struct way_work *work, double us[2])
{
    double seconds[EIGEN_WAYS_CLUSTER_TURNS * STEPS], of_way[2][EIGEN_WAYS_CLUSTER_TURNS];
    const int turns = work->is_reduction ? EIGEN_WAYS_CLUSTER_TURNS : 1;
    if (graph_replay_sequence(turns * STEPS, work->timer->pool.lane, queue_step, work, seconds) != STATUS_OK)
        return false;
    for (int way = 0; way < 2; way++) {
        for (int turn = 0; turn < turns; turn++)
            of_way[way][turn] = seconds[turn * STEPS + (way ? WAY_OF_LARGE : WAY_OF_SMALL)];
        us[way] = 1e6 * statistics_median(of_way[way], (size_t)turns);
    }
    return true;
}

/* The matrix, three vectors (values or T with TAU), INFO and workspace. */
static bool time_in_memory(struct way_work *work, double us[2])
{
    struct solver_eigen_call *const call = &work->eigen.call;
    struct tridiagonalisation *const reduction = &work->reduction;
    const size_t vector = device_aligned((size_t)call->n * blas_element_bytes(call->type)),
                 infos = device_aligned(2 * sizeof(int));
    work->matrix_bytes = device_aligned((size_t)(call->lda * call->n) * blas_element_bytes(call->type));
    if (!(work->is_reduction ? ask_reduction(work) : ask_eigen(work)) ||
        device_allocate(work->timer->device,
                        work->matrix_bytes + 3 * vector + infos + work->workspace_bytes,
                        &work->matrix) != STATUS_OK)
        return false;
    call->a = reduction->a = work->matrix;
    call->w = reduction->d = work->matrix + work->matrix_bytes;
    reduction->e = reduction->d + vector;
    reduction->tau = reduction->e + vector;
    call->info = reduction->tau + vector;
    work->workspace = call->info + infos;
    const bool good = time_ways(work, us);
    device_free(work->timer->device, work->matrix);
    return good;
}

static int64_t vectors_of(enum route_border border, int64_t n)
{
    return border == BORDER_TWO_STAGES_ALL ? n : border == BORDER_TWO_STAGES_TENTH ? n / 10 : 0;
}

bool eigen_ways_time(enum route_border border, enum blas_type type, int64_t n, double us[2])
{
    static struct way_timer timer;
    static bool is_opened;
    const int64_t ld = n | 32, vectors = vectors_of(border, n); /* columns are no period of the numbers */
    struct way_work work = {.timer = &timer,
                            .is_reduction = border == BORDER_CLUSTER,
                            .eigen = {.call = {.type = type, .vectors = vectors > 0, .uplo = UPLO_LOWER,
                                               .n = n, .lda = ld},
                                      .count = vectors},
                            .reduction = {.type = type, .uplo = UPLO_LOWER, .n = n, .lda = ld}};
    if (!is_opened)
        timer.is_good = open_timer(&timer);
    is_opened = true;
    return timer.is_good && time_in_memory(&work, us);
}

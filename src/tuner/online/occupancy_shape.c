#include "tuner/online/occupancy_shape.h"
#include "gpu/launch.h"

#include <limits.h>
#include <stddef.h>

struct occupancy occupancy_of(const struct occupancy_figures *figures, unsigned threads, unsigned most_active,
                              int64_t items)
{
    const unsigned warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
    int active = warps <= BLOCK_WARPS_MAX ? figures->active[warps] : 0;
    if (most_active > 0 && most_active < (unsigned)active)
        active = (int)most_active;
    const int64_t slots = (int64_t)active * figures->multiprocessors;
    if (slots <= 0 || items <= 0)
        return (struct occupancy){0, 0, 0};
    /* 32-bit division is several times as fast */
    const int64_t waves =
        (items <= UINT32_MAX ? (uint32_t)(items - 1) / (uint32_t)slots : (items - 1) / slots) + 1;
    return (struct occupancy){
        .warp = (double)(active * (int)warps) / figures->warps,
        .block = (double)active / figures->blocks,
        .grid = (double)items / ((double)waves * (double)slots),
    };
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned least_threads(const struct optimizer_space *space, const struct occupancy_recipe *recipe)
{
    return recipe->threads_min > 0 ? recipe->threads_min : space->step;
}

static unsigned least_y(const struct optimizer_space *space, const struct occupancy_recipe *recipe,
                        unsigned x)
{
    return (least_threads(space, recipe) + x - 1) / x;
}

static unsigned most_y(const struct optimizer_space *space, const struct occupancy_recipe *recipe, unsigned x)
{
    const unsigned most =
        space->one_dimensional ? smaller(1, space->threads_max / x) : space->threads_max / x;
    const double by_ratio = recipe->ty_per_tx_max * x;
    if (space->one_dimensional || recipe->ty_per_tx_max <= 0 || by_ratio >= most)
        return most;
    return (unsigned)by_ratio;
}

static bool is_above(double value, double best, double minimum)
{
    return value > (best < minimum ? best : minimum);
}

bool optimizer_walk(const struct optimizer_space *space, const struct occupancy_recipe *recipe,
                    const struct occupancy_figures *figures, optimizer_items *items, const void *problem,
                    struct optimizer_best *best)
{
    bool found = false;
    for (unsigned x = space->threads_max / space->step * space->step; x > 0; x -= space->step) {
        const unsigned high = most_y(space, recipe, x);
        for (unsigned y = least_y(space, recipe, x); y <= high; y++) {
            const struct block_shape block = {x, y};
            const struct occupancy occupancy =
                occupancy_of(figures, x * y, space->most_active,
                             items ? items(problem, block) : *(const int64_t *)problem);
            if (occupancy.grid > best->occupancy.grid &&
                is_above(occupancy.warp, best->occupancy.warp, recipe->warp_min) &&
                is_above(occupancy.block, best->occupancy.block, recipe->block_min)) {
                *best = (struct optimizer_best){block, occupancy};
                found = true;
            }
        }
        if (best->occupancy.grid >= 1)
            break; /* nothing can be strictly above */
    }
    return found;
}

enum { LEAF_EDGE = 32, GROUP_THREADS = 8 };

/* A smaller edge costs partials: no reason to pay for slots worth less than the 2% within
 * which the analyzer calls shapes equal. */
static const double FULL_ENOUGH = 0.98;

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static struct launch_shape at_edge(const struct launch_shape *base, unsigned edge)
{
    struct launch_shape shape = *base;
    shape.edge = edge;
    if (shape.leaf_columns > edge / LEAF_EDGE)
        shape.leaf_columns = edge / LEAF_EDGE;
    return shape;
}

struct launch_shape occupancy_shape(const struct blas_call *call, const struct launch_shape *base,
                                    const struct occupancy_recipe *recipe,
                                    const struct shape_figures *figures)
{
    const struct optimizer_space space = {launch_shape_unit(call->type), LAUNCH_THREADS_MAX, false,
                                          base->blocks_per_multiprocessor};
    struct occupancy_recipe admitted = *recipe;
    struct optimizer_best best = {{0, 0}, {0, 0, 0}};
    struct launch_shape chosen = {.edge = 0};
    admitted.threads_min =
        larger(recipe->threads_min, larger(LAUNCH_THREADS_MIN, GROUP_THREADS * base->team_groups));
    for (int i = 0; i < SHAPE_EDGES; i++) {
        const struct launch_shape shape = at_edge(base, shape_edges[i]);
        const int64_t items = launch_shape_tiling(call, &shape).items;
        if (optimizer_walk(&space, &admitted, &figures->of_edge[i], NULL, &items, &best)) {
            chosen = shape;
            chosen.threads_x = best.block.x;
            chosen.threads_y = best.block.y;
        }
        if (best.occupancy.grid >= FULL_ENOUGH)
            break;
    }
    return chosen;
}

CUresult occupancy_read_limits(struct occupancy_figures *figures)
{
    int threads = 0;
    CUdevice device;
    CUresult result = driver()->context_device(&device);
    if (result == CUDA_SUCCESS)
        result = driver()->device_attribute(&figures->multiprocessors,
                                            CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    if (result == CUDA_SUCCESS)
        result =
            driver()->device_attribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device);
    if (result == CUDA_SUCCESS)
        result = driver()->device_attribute(&figures->blocks,
                                            CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, device);
    figures->warps = threads / WARP_THREADS;
    return result;
}

/* The figures of the device that is there, by the driver: of a kernel with that much dynamic shared memory.
 * Inside device_enter; the driver's result, not logged. About 20 driver calls, so keep the figures: they
 * stay the same as long as device, driver and kernel set do. */
static CUresult occupancy_read(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                        struct occupancy_figures *figures)
{
    int most_threads = 0;
    CUfunction function;
    *figures = (struct occupancy_figures){0};
    CUresult result = occupancy_read_limits(figures);
    if (result == CUDA_SUCCESS)
        result = kernel_set_function(set, kernel, shared_bytes, &function);
    if (result == CUDA_SUCCESS)
        result =
            driver()->function_attribute(&most_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    for (int warps = 1;
         result == CUDA_SUCCESS && warps <= most_threads / WARP_THREADS && warps <= BLOCK_WARPS_MAX;
         warps++) {
        int active = 0;
        result = driver()->active_blocks(&active, function, warps * WARP_THREADS, shared_bytes);
        figures->active[warps] = (unsigned char)(active < UCHAR_MAX ? active : UCHAR_MAX);
    }
    return result;
}

CUresult occupancy_read_shapes(struct kernel_set *set, const struct blas_call *call,
                               struct shape_figures *figures)
{
    struct launch_plan plan;
    CUresult result = CUDA_SUCCESS;
    if (launch_plan_make(call, &plan) != STATUS_OK)
        return CUDA_ERROR_NOT_SUPPORTED;
    for (int i = 0; i < SHAPE_EDGES && result == CUDA_SUCCESS; i++) {
        const size_t shared_bytes =
            matrix_vector_shared_bytes(shape_edges[i], blas_element_bytes(call->type));
        result = occupancy_read(set, plan.kernel, shared_bytes, &figures->of_edge[i]);
    }
    return result;
}

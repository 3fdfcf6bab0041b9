#include "common/whole_number.h"
#include "gpu/device.h"
#include "gpu/kernels/route_arguments.h"
#include "gpu/kernels/stedc/stedc_arguments.h"
#include "gpu/kernels/two_stage/stebz_arguments.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/device_matrix.h"
#include "lapack/eigensolver/own_eigen.h"

enum { WARP = 32, LEAF_WARPS = 1, ROOT_WARPS = 8, FINISH_THREADS = 256 };
enum { DEFLATE_THREADS = 512, MULTIPLY_THREADS = 256, VECTOR_THREADS = 256 };
enum { MULTIPLY_MOST = 512 }; /* rows of nodes whose products are the kernel's; larger ones are cuBLAS' */
enum { STRIDE_UNIT = 64 };    /* elements between columns: 256 bytes at least */

#define BY_TYPE(name) {KERNEL_sstedc_##name, KERNEL_dstedc_##name}
enum step { TEAR, LEAVES, DEFLATE, ROOTS, ORDER, VECTORS, MULTIPLY, FINISH };
static const enum kernel kernels[][2] = {
    [TEAR] = BY_TYPE(tear),         [LEAVES] = BY_TYPE(leaves), [DEFLATE] = BY_TYPE(deflate),
    [ROOTS] = BY_TYPE(roots),       [ORDER] = BY_TYPE(order),   [VECTORS] = BY_TYPE(vectors),
    [MULTIPLY] = BY_TYPE(multiply), [FINISH] = BY_TYPE(finish)};

/* One call on its way. */
struct divide_conquer {
    const struct solver_handle *handle;
    const struct divide_conquer_call *call;
    struct stedc_arguments arguments;
    CUdeviceptr products[2]; /* the eigenvectors of odd levels' nodes, and of even ones' */
};

/* Until leaves are small enough. */
static int32_t levels_of(int64_t n)
{
    int32_t levels = 0;
    while (stedc_node_most(n, levels) > STEDC_LEAF_MOST)
        levels++;
    return levels;
}

/* Set the addresses; the bytes of all. */
static size_t lay_out(struct divide_conquer *work, CUdeviceptr workspace)
{
    const struct divide_conquer_call *const call = work->call;
    struct stedc_arguments *const arguments = &work->arguments;
    const int64_t n = call->n, stride = round_up(larger(n, 1), STRIDE_UNIT);
    const int32_t levels = levels_of(n);
    const int64_t s_columns = larger(levels > 0 ? call->vectors : 0, levels > 1 ? stedc_node_most(n, 1) : 0);
    const int64_t odd_columns = levels > 0 ? stedc_node_most(n, 1) : 0,
                  even_columns = levels > 1 ? stedc_node_most(n, 2) : 0;
    const int64_t element = (int64_t)blas_element_bytes(call->type), column = stride * element;
    const CUdeviceptr reals = workspace, integers = reals + (CUdeviceptr)(STEDC_REALS * column);
    const CUdeviceptr s = integers +
                          (CUdeviceptr)round_up(STEDC_INTEGERS * stride * (int64_t)sizeof(int), 256);
    work->products[1] = s + (CUdeviceptr)round_up(column * s_columns, 256);
    work->products[0] = work->products[1] + (CUdeviceptr)round_up(column * odd_columns, 256);
    *arguments = (struct stedc_arguments){
        .d = (void *)(uintptr_t)call->d, .e = (const void *)(uintptr_t)call->e,
        .info = (int *)(uintptr_t)call->info, .reals = (void *)(uintptr_t)reals,
        .integers = (int *)(uintptr_t)integers, .stride = stride, .n = n, .levels = levels,
        .s = (void *)(uintptr_t)s, .s_ld = stride};
    return (size_t)(work->products[0] - workspace) + (size_t)(column * even_columns);
}

size_t divide_conquer_workspace(const struct divide_conquer_call *call)
{
    struct divide_conquer work = {.call = call};
    return lay_out(&work, 0);
}

static enum status launch(const struct divide_conquer *work, enum step step, int64_t blocks, unsigned threads,
                          size_t shared_bytes)
{
    struct stedc_arguments arguments = work->arguments;
    return device_launch(work->handle->library->device, work->handle->stream,
                         kernels[step][work->call->type == TYPE_D], (unsigned)blocks, threads, shared_bytes,
                         &arguments);
}

/* Level 0 puts the vectors wanted into the caller's memory; other levels put all of theirs into the
 * workspace. */
static void set_product(struct divide_conquer *work, int32_t level)
{
    const struct divide_conquer_call *const call = work->call;
    struct stedc_arguments *const arguments = &work->arguments;
    const bool is_last = level == 0;
    arguments->q = arguments->product;
    arguments->q_ld = arguments->product_ld;
    arguments->product = (void *)(uintptr_t)(is_last ? call->q : work->products[level % 2]);
    arguments->product_ld = is_last ? call->ldq : arguments->stride;
    arguments->level = level;
    arguments->first = is_last ? call->first_vector : 0;
    arguments->columns = is_last ? call->vectors : stedc_node_most(call->n, level);
}

static enum status queue_leaves(struct divide_conquer *work)
{
    const int32_t levels = work->arguments.levels;
    set_product(work, levels);
    enum status status = launch(work, TEAR, 1, DEFLATE_THREADS, DEFLATE_THREADS / WARP * sizeof(double));
    if (status == STATUS_OK)
        status = launch(work, LEAVES, round_up(INT64_C(1) << levels, LEAF_WARPS) / LEAF_WARPS,
                        LEAF_WARPS * WARP, 0);
    return status;
}

/* The kernel multiplies for all nodes in one launch. */
static enum status multiply_small(const struct divide_conquer *work)
{
    const struct stedc_arguments *const arguments = &work->arguments;
    const size_t element = blas_element_bytes(work->call->type), panel = 16;
    const int64_t row_tiles = round_up(stedc_node_most(arguments->n, arguments->level + 1), STEDC_TILE) /
                              STEDC_TILE;
    const int64_t column_tiles = round_up(arguments->columns, STEDC_TILE) / STEDC_TILE;
    return launch(work, MULTIPLY, (row_tiles * column_tiles) << (arguments->level + 1), MULTIPLY_THREADS,
                  panel * (2 * STEDC_TILE + 1) * element);
}

static enum status multiply_large(const struct divide_conquer *work)
{
    static const union blas_scalar one[] = {[TYPE_S] = {.s = 1}, [TYPE_D] = {.d = 1}}, zero;
    const struct stedc_arguments *const arguments = &work->arguments;
    const int64_t n = arguments->n, element = (int64_t)blas_element_bytes(work->call->type);
    int result = 0;
    for (int64_t child = 0; child < INT64_C(2) << arguments->level && result == 0; child++) {
        const int64_t begin = stedc_begin(n, arguments->level + 1, child);
        const int64_t rows = stedc_begin(n, arguments->level + 1, child + 1) - begin;
        const int64_t wide = stedc_begin(n, arguments->level, child / 2 + 1) -
                             stedc_begin(n, arguments->level, child / 2);
        result = solver_gemm(work->handle, work->call->type, CUBLAS_OP_N, CUBLAS_OP_N, rows,
                             arguments->level > 0 ? wide : arguments->columns, rows, &one[work->call->type],
                             (const char *)arguments->q + begin * element, arguments->q_ld,
                             (const char *)arguments->s + begin * element, arguments->s_ld, &zero,
                             (char *)arguments->product + begin * element, arguments->product_ld);
    }
    return solver_blas_status(work->handle->library, result, "cuBLAS's gemm");
}

static enum status queue_merges(struct divide_conquer *work, int32_t level)
{
    set_product(work, level);
    const int64_t nodes = INT64_C(1) << level, most = stedc_node_most(work->call->n, level),
                  columns = work->arguments.columns;
    const int64_t blocks = round_up(nodes * most, ROOT_WARPS) / ROOT_WARPS;
    const unsigned threads = (unsigned)round_up(most < VECTOR_THREADS ? most : VECTOR_THREADS, WARP);
    const unsigned deflaters = (unsigned)round_up(most < DEFLATE_THREADS ? most : DEFLATE_THREADS, WARP);
    enum status status = launch(work, DEFLATE, nodes, deflaters, DEFLATE_THREADS / WARP * sizeof(double));
    if (status == STATUS_OK)
        status = launch(work, ROOTS, blocks, ROOT_WARPS * WARP, 0);
    if (status == STATUS_OK)
        status = launch(work, ORDER, blocks, ROOT_WARPS * WARP, 0);
    if (status != STATUS_OK || columns == 0)
        return status;
    status = launch(work, VECTORS, nodes * columns, threads, VECTOR_THREADS / WARP * sizeof(double));
    if (status != STATUS_OK)
        return status;
    return most <= MULTIPLY_MOST ? multiply_small(work) : multiply_large(work);
}

enum status divide_conquer_queue(const struct solver_handle *handle, const struct divide_conquer_call *call,
                                 CUdeviceptr workspace)
{
    struct divide_conquer work = {.handle = handle, .call = call};
    struct device *const device = handle->library->device;
    lay_out(&work, workspace);
    enum status status = device_check(
        device, driver()->memory_set_async(call->info, 0, sizeof(int), handle->stream), "setting INFO");
    if (status != STATUS_OK || call->n == 0)
        return status;
    status = queue_leaves(&work);
    for (int32_t level = work.arguments.levels - 1; level >= 0 && status == STATUS_OK; level--)
        status = queue_merges(&work, level);
    if (status == STATUS_OK)
        status = launch(&work, FINISH, round_up(call->n, FINISH_THREADS) / FINISH_THREADS, FINISH_THREADS, 0);
    return status;
}

enum { BISECTION_WARP = 32 };

struct bisection_kernels {
    enum kernel bounds, values;
};
static const struct bisection_kernels bisection_kernels_of[] = {
    [TYPE_S] = {KERNEL_sstebz_bounds, KERNEL_sstebz_values},
    [TYPE_D] = {KERNEL_dstebz_bounds, KERNEL_dstebz_values},
};

struct layout {
    size_t rows, bounds, end;
};

static struct layout lay_out_bisection(const struct bisection *work)
{
    const size_t element = blas_element_bytes(work->type);
    struct layout layout = {0};
    layout.rows = workspace_take(&layout.end, 2 * (size_t)work->n * element);
    layout.bounds = workspace_take(&layout.end, STEBZ_BOUNDS * element);
    return layout;
}

size_t bisection_workspace(const struct bisection *work) { return lay_out_bisection(work).end; }

/* More of them shorten the way of a value, until they fill the device. */
static int32_t lanes_for(int64_t n)
{
    enum { FULL = 1 << 16, LEAST = 4 };
    int32_t lanes = BISECTION_WARP;
    while (lanes > LEAST && n * lanes > FULL)
        lanes /= 2;
    return lanes;
}

/* From twice the norm to a quarter of the rounding unit times the norm. */
static int32_t passes_for(enum blas_type type, int32_t lanes)
{
    const double wanted = blas_is_single(type) ? 0x1p27 : 0x1p56;
    double reached = 1;
    int32_t passes = 0;
    for (; reached < wanted; reached *= lanes + 1)
        passes++;
    return passes;
}

enum status bisection_queue(const struct solver_handle *handle, const struct bisection *work,
                            CUdeviceptr workspace)
{
    struct device *const device = handle->library->device;
    const struct layout layout = lay_out_bisection(work);
    const size_t element = blas_element_bytes(work->type);
    const int32_t lanes = lanes_for(work->n);
    struct stebz_arguments arguments = {.d = device_pointer(work->d),
                                        .e = device_pointer(work->e),
                                        .w = device_pointer(work->w),
                                        .rows = device_pointer(workspace + layout.rows),
                                        .bounds = device_pointer(workspace + layout.bounds),
                                        .n = work->n,
                                        .lanes = lanes,
                                        .passes = passes_for(work->type, lanes)};
    const enum status status =
        device_launch(device, handle->stream, bisection_kernels_of[work->type].bounds, 1,
                      STEBZ_BOUNDS_THREADS, STEBZ_BOUNDS_THREADS / BISECTION_WARP * element, &arguments);
    return status == STATUS_OK
               ? device_launch(device, handle->stream, bisection_kernels_of[work->type].values,
                               (unsigned)((work->n * lanes + STEBZ_THREADS - 1) / STEBZ_THREADS),
                               STEBZ_THREADS, 2 * STEBZ_TILE * element, &arguments)
               : status;
}

enum { RANGE_THREADS = 256 };

static enum status find_range(struct device *device, CUstream stream, const struct vector_range *range,
                              CUdeviceptr workspace)
{
    struct range_arguments arguments = {.values = (const void *)(uintptr_t)range->values,
                                        .n = range->n,
                                        .first = range->first,
                                        .count = range->count,
                                        .above = range->above,
                                        .up_to = range->up_to,
                                        .is_interval = range->is_interval,
                                        .is_single = blas_is_single(range->type),
                                        .found = (int *)(uintptr_t)workspace,
                                        .m = (int *)(uintptr_t)range->m};
    return device_launch(device, stream, KERNEL_eigen_range_find, 1, 1, 0, &arguments);
}

enum status vector_range_queue(struct device *device, CUstream stream, const struct vector_range *range,
                               CUdeviceptr workspace)
{
    const int64_t words = (int64_t)(blas_element_bytes(range->type) / sizeof(uint32_t));
    struct range_move_arguments arguments = {.values = (unsigned *)(uintptr_t)range->values,
                                             .vectors = (unsigned *)(uintptr_t)range->vectors,
                                             .value_words = blas_is_single(range->type) ? 1 : 2,
                                             .rows = range->has_vectors ? range->n * words : 0,
                                             .ld = range->ld * words,
                                             .found = (const int *)(uintptr_t)workspace};
    const enum status status = find_range(device, stream, range, workspace);
    if (status != STATUS_OK)
        return status;
    return device_launch(device, stream, KERNEL_eigen_range_move,
                         1 + (unsigned)((arguments.rows + RANGE_THREADS - 1) / RANGE_THREADS),
                         RANGE_THREADS, 0, &arguments);
}

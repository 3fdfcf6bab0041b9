#include "lapack/singular/own_singular.h"
#include "common/whole_number.h"
#include "gpu/kernels/stedc/stedc_arguments.h"
#include "gpu/kernels/two_stage/stebz_arguments.h"
#include "lapack/device_matrix.h"
#include "lapack/eigensolver/own_eigen.h"

enum { WARP = 32, ROOT_WARPS = 8, FINISH_THREADS = 256 };
enum { DEFLATE_THREADS = 512, MULTIPLY_THREADS = 256, VECTOR_THREADS = 256 };
enum { MULTIPLY_MOST = 512 }; /* columns of nodes whose products are the kernel's; larger ones are cuBLAS' */
enum { STRIDE_UNIT = 64 };    /* elements between columns: 256 bytes at least */

#define BY_TYPE(name) {KERNEL_s##name, KERNEL_d##name}
enum step { TEAR, LEAVES, DEFLATE, ROOTS, ORDER, VECTORS, MULTIPLY, FINISH, SCALE, VALUES };
static const enum kernel kernels[][2] = {
    [TEAR] = BY_TYPE(bdsdc_tear),         [LEAVES] = BY_TYPE(bdsdc_leaves),
    [DEFLATE] = BY_TYPE(bdsdc_deflate),   [ROOTS] = BY_TYPE(bdsdc_roots),
    [ORDER] = BY_TYPE(bdsdc_order),       [VECTORS] = BY_TYPE(bdsdc_vectors),
    [MULTIPLY] = BY_TYPE(bdsdc_multiply), [FINISH] = BY_TYPE(bdsdc_finish),
    [SCALE] = BY_TYPE(bdsvx_scale),       [VALUES] = BY_TYPE(bdsvx_values)};

/* One call on its way. */
struct division {
    const struct solver_handle *handle;
    const struct bidiagonal_division *call;
    struct bdsdc_arguments arguments;
    CUdeviceptr products[BDSDC_SIDES][2]; /* the vectors of odd levels' nodes, and of even ones' */
    CUdeviceptr s[BDSDC_SIDES];
};

/* Until leaves are small enough. */
static int32_t levels_of(int64_t columns)
{
    int32_t levels = 0;
    while (stedc_node_most(columns, levels) > STEDC_LEAF_MOST)
        levels++;
    return levels;
}

static bool is_wanted(const struct bidiagonal_division *call, int side)
{
    return (side == BDSDC_RIGHT ? call->v.address : call->u.address) != 0 && call->vectors > 0;
}

/* Below the whole right vectors are always needed: the middle rows meet them. */
static int side_most(const struct bidiagonal_division *call)
{
    return is_wanted(call, BDSDC_LEFT) ? BDSDC_SIDES : BDSDC_LEFT;
}

/* Small nodes' products of both sides are computed in one launch. */
static bool goes_at_once(int64_t columns, int32_t level)
{
    return stedc_node_most(columns, level) <= MULTIPLY_MOST;
}

/* S has those of the level that needs most. */
static int64_t s_columns_of(const struct bidiagonal_division *call, int64_t columns, int32_t levels)
{
    int64_t most = 0;
    for (int32_t level = 0; level < levels; level++) {
        const int64_t each = level == 0 ? call->vectors : stedc_node_most(columns, level);
        most = larger(most, goes_at_once(columns, level) ? BDSDC_SIDES * each : each);
    }
    return most;
}

static CUdeviceptr take(CUdeviceptr *end, int64_t bytes)
{
    const CUdeviceptr address = *end;
    *end += (CUdeviceptr)round_up(bytes, 256);
    return address;
}

/* Set the addresses; the bytes of all. */
static size_t lay_out(struct division *work, CUdeviceptr workspace)
{
    const struct bidiagonal_division *const call = work->call;
    const int64_t columns = call->n + 1, stride = round_up(columns, STRIDE_UNIT);
    const int32_t levels = levels_of(columns);
    const int64_t column = stride * (int64_t)blas_element_bytes(call->type);
    CUdeviceptr end = workspace;
    const CUdeviceptr reals = take(&end, BDSDC_REALS * column),
                      integers = take(&end, STEDC_INTEGERS * stride * (int64_t)sizeof(int));
    work->s[0] = work->s[1] = take(&end, column * s_columns_of(call, columns, levels));
    for (int side = 0; side < side_most(call); side++) {
        work->products[side][1] = take(&end, levels > 0 ? column * stedc_node_most(columns, 1) : 0);
        work->products[side][0] = take(&end, levels > 1 ? column * stedc_node_most(columns, 2) : 0);
    }
    work->arguments.merge = (struct stedc_arguments){
        .d = device_pointer(call->d), .e = device_pointer(call->e), .info = device_pointer(call->info),
        .reals = device_pointer(reals), .integers = device_pointer(integers), .stride = stride, .n = columns,
        .levels = levels, .s_ld = stride};
    return (size_t)(end - workspace);
}

size_t bidiagonal_division_workspace(const struct bidiagonal_division *call)
{
    struct division work = {.call = call};
    return lay_out(&work, 0);
}

static enum status launch(const struct solver_handle *handle, enum blas_type type, enum step step,
                          int64_t blocks, unsigned threads, size_t shared_bytes, void *arguments)
{
    return device_launch(handle->library->device, handle->stream, kernels[step][type == TYPE_D],
                         (unsigned)blocks, threads, shared_bytes, arguments);
}

static enum status launch_step(const struct division *work, enum step step, int64_t blocks, unsigned threads,
                               size_t shared_bytes)
{
    struct bdsdc_arguments arguments = work->arguments;
    return launch(work->handle, work->call->type, step, blocks, threads, shared_bytes, &arguments);
}

/* Level 0 puts the vectors wanted into the caller's memory; other levels put all of theirs into the
 * workspace. */
static void set_products(struct division *work, int32_t level)
{
    const struct bidiagonal_division *const call = work->call;
    struct stedc_arguments *const merge = &work->arguments.merge;
    const bool is_whole = level == 0;
    for (int which = 0; which < side_most(call); which++) {
        struct bdsdc_side *const side = &work->arguments.sides[which];
        const struct bidiagonal_vectors *const wanted = which == BDSDC_RIGHT ? &call->v : &call->u;
        side->q = side->product;
        side->q_ld = side->product_ld;
        side->product = device_pointer(is_whole ? wanted->address : work->products[which][level % 2]);
        side->product_ld = is_whole ? wanted->ld : merge->stride;
    }
    merge->q = work->arguments.sides[BDSDC_RIGHT].q;
    merge->q_ld = work->arguments.sides[BDSDC_RIGHT].q_ld;
    merge->level = level;
    merge->first = is_whole ? call->first_vector : 0;
    merge->columns = is_whole ? call->vectors : stedc_node_most(merge->n, level);
}

static enum status queue_leaves(struct division *work)
{
    const int32_t levels = work->arguments.merge.levels;
    set_products(work, levels);
    const enum status status =
        launch_step(work, TEAR, 1, DEFLATE_THREADS, DEFLATE_THREADS / WARP * sizeof(double));
    return status == STATUS_OK ? launch_step(work, LEAVES, INT64_C(1) << levels, WARP, 0) : status;
}

/* The kernel multiplies for all nodes in one launch. */
static enum status multiply_small(const struct division *work)
{
    const struct stedc_arguments *const merge = &work->arguments.merge;
    const size_t element = blas_element_bytes(work->call->type), panel = 16;
    const int64_t row_tiles = round_up(stedc_node_most(merge->n, merge->level + 1), STEDC_TILE) / STEDC_TILE;
    const int64_t column_tiles = round_up(merge->columns, STEDC_TILE) / STEDC_TILE;
    return launch_step(work, MULTIPLY,
                       ((row_tiles * column_tiles) << (merge->level + 1)) * work->arguments.side_count,
                       MULTIPLY_THREADS, panel * (2 * STEDC_TILE + 1) * element);
}

static enum status multiply_large(const struct division *work)
{
    static const union blas_scalar one[] = {[TYPE_S] = {.s = 1}, [TYPE_D] = {.d = 1}}, zero;
    const struct stedc_arguments *const merge = &work->arguments.merge;
    const struct bdsdc_side *const side = &work->arguments.sides[work->arguments.first_side];
    const int64_t n = merge->n, element = (int64_t)blas_element_bytes(work->call->type);
    const bool is_whole = merge->level == 0;
    int result = 0;
    for (int64_t child = 0; child < INT64_C(2) << merge->level && result == 0; child++) {
        const int64_t begin = stedc_begin(n, merge->level + 1, child),
                      end = stedc_begin(n, merge->level + 1, child + 1);
        const int64_t kept = is_whole && end == n ? end - 1 : end; /* of the whole no row behind */
        const int64_t wide = stedc_begin(n, merge->level, child / 2 + 1) -
                             stedc_begin(n, merge->level, child / 2);
        result = solver_gemm(work->handle, work->call->type, CUBLAS_OP_N, CUBLAS_OP_N, kept - begin,
                             is_whole ? merge->columns : wide, end - begin, &one[work->call->type],
                             (const char *)side->q + begin * element, side->q_ld,
                             (const char *)side->s + begin * element, merge->s_ld, &zero,
                             (char *)side->product + begin * element, side->product_ld);
    }
    return solver_blas_status(work->handle->library, result, "cuBLAS's gemm");
}

/* The vectors of so many sides from this one on. */
static enum status queue_sides(struct division *work, int first_side, int side_count)
{
    struct bdsdc_arguments *const arguments = &work->arguments;
    const struct stedc_arguments *const merge = &arguments->merge;
    const int64_t nodes = INT64_C(1) << merge->level, most = stedc_node_most(merge->n, merge->level);
    const unsigned threads = (unsigned)round_up(most < VECTOR_THREADS ? most : VECTOR_THREADS, WARP);
    const CUdeviceptr bytes = (CUdeviceptr)(merge->columns * merge->s_ld) *
                              blas_element_bytes(work->call->type);
    arguments->first_side = first_side;
    arguments->side_count = side_count;
    for (int side = 0; side < side_count; side++)
        arguments->sides[first_side + side].s = device_pointer(work->s[0] + (CUdeviceptr)side * bytes);
    const enum status status = launch_step(work, VECTORS, nodes * merge->columns * side_count, threads,
                                           VECTOR_THREADS / WARP * sizeof(double));
    if (status != STATUS_OK)
        return status;
    return goes_at_once(merge->n, merge->level) ? multiply_small(work) : multiply_large(work);
}

static enum status queue_vectors(struct division *work)
{
    const struct stedc_arguments *const merge = &work->arguments.merge;
    const int first = merge->level == 0 && !is_wanted(work->call, BDSDC_RIGHT) ? BDSDC_LEFT : BDSDC_RIGHT,
              end = side_most(work->call);
    if (merge->columns == 0 || end <= first)
        return STATUS_OK;
    if (goes_at_once(merge->n, merge->level))
        return queue_sides(work, first, end - first);
    enum status status = STATUS_OK;
    for (int side = first; side < end && status == STATUS_OK; side++)
        status = queue_sides(work, side, 1);
    return status;
}

static enum status queue_merges(struct division *work, int32_t level)
{
    set_products(work, level);
    const int64_t nodes = INT64_C(1) << level, most = stedc_node_most(work->arguments.merge.n, level);
    const int64_t blocks = round_up(nodes * most, ROOT_WARPS) / ROOT_WARPS;
    const unsigned deflaters = (unsigned)round_up(most < DEFLATE_THREADS ? most : DEFLATE_THREADS, WARP);
    enum status status =
        launch_step(work, DEFLATE, nodes, deflaters, DEFLATE_THREADS / WARP * sizeof(double));
    if (status == STATUS_OK)
        status = launch_step(work, ROOTS, blocks, ROOT_WARPS * WARP, 0);
    if (status == STATUS_OK)
        status = launch_step(work, ORDER, blocks, ROOT_WARPS * WARP, 0);
    return status == STATUS_OK ? queue_vectors(work) : status;
}

enum status bidiagonal_division_queue(const struct solver_handle *handle,
                                      const struct bidiagonal_division *call, CUdeviceptr workspace)
{
    struct division work = {.handle = handle, .call = call};
    lay_out(&work, workspace);
    enum status status =
        device_check(handle->library->device,
                     driver()->memory_set_async(call->info, 0, sizeof(int), handle->stream), "setting INFO");
    if (status != STATUS_OK || call->n == 0)
        return status;
    status = queue_leaves(&work);
    for (int32_t level = work.arguments.merge.levels - 1; level >= 0 && status == STATUS_OK; level--)
        status = queue_merges(&work, level);
    return status == STATUS_OK ? launch_step(&work, FINISH, round_up(call->n, FINISH_THREADS) / FINISH_THREADS,
                                             FINISH_THREADS, 0)
                               : status;
}

struct layout {
    size_t rows, bounds, end;
};

static struct layout lay_out_bisection(const struct bidiagonal_bisection *work)
{
    const size_t element = blas_element_bytes(work->type);
    struct layout layout = {0};
    layout.rows = workspace_take(&layout.end, 2 * (size_t)work->n * element);
    layout.bounds = workspace_take(&layout.end, STEBZ_BOUNDS * element);
    return layout;
}

size_t bidiagonal_bisection_workspace(const struct bidiagonal_bisection *work)
{
    return lay_out_bisection(work).end;
}

/* More of them shorten the way of a value, until they fill the device. */
static int32_t lanes_for(int64_t n)
{
    enum { FULL = 1 << 16, LEAST = 4 };
    int32_t lanes = WARP;
    while (lanes > LEAST && n * lanes > FULL)
        lanes /= 2;
    return lanes;
}

/* From all numbers between 0 and 2 to one. */
static int32_t passes_for(enum blas_type type, int32_t lanes)
{
    int32_t passes = 0;
    for (int64_t width = INT64_C(1) << (blas_is_single(type) ? 30 : 62); width > 1; passes++)
        width = (width + lanes) / (lanes + 1);
    return passes;
}

enum status bidiagonal_bisection_queue(const struct solver_handle *handle,
                                       const struct bidiagonal_bisection *work, CUdeviceptr workspace)
{
    const struct layout layout = lay_out_bisection(work);
    const size_t element = blas_element_bytes(work->type);
    const int32_t lanes = lanes_for(work->n);
    struct stebz_arguments arguments = {.d = device_pointer(work->d), .e = device_pointer(work->e),
                                        .w = device_pointer(work->s),
                                        .rows = device_pointer(workspace + layout.rows),
                                        .bounds = device_pointer(workspace + layout.bounds), .n = work->n,
                                        .lanes = lanes, .passes = passes_for(work->type, lanes)};
    const enum status status = launch(handle, work->type, SCALE, 1, STEBZ_BOUNDS_THREADS,
                                      STEBZ_BOUNDS_THREADS / WARP * element, &arguments);
    return status == STATUS_OK ? launch(handle, work->type, VALUES,
                                        round_up(work->n * lanes, STEBZ_THREADS) / STEBZ_THREADS,
                                        STEBZ_THREADS, 2 * STEBZ_TILE * element, &arguments)
                               : status;
}

#include "tuner/online/tuning_class.h"
#include "gpu/launch.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { ASPECT = 4, SIDE_RATIO = 4, COLUMN_BYTES = 128 };

/* How far a size may be from that of a matrix of the form's aspect ratio with as many elements: square;
 * others, of which few rows or columns more are a large part. */
static const double SQUARE_OFF = 1.1, LONG_OFF = 2;
/* The same of a tall matrix: so that short sums have as many leaf tiles as the size's own call has. */
static const double LEAVES_OFF = 1.05;

static const struct {
    const char *name;
    enum blas_family family;
    enum blas_type type;
    bool transposed;
} classes[TUNING_CLASSES] = {
    {"saxpy", FAMILY_AXPY, TYPE_S, false},      {"daxpy", FAMILY_AXPY, TYPE_D, false},
    {"caxpy", FAMILY_AXPY, TYPE_C, false},      {"zaxpy", FAMILY_AXPY, TYPE_Z, false},
    {"sgemv_none", FAMILY_GEMV, TYPE_S, false}, {"sgemv_transpose", FAMILY_GEMV, TYPE_S, true},
    {"dgemv_none", FAMILY_GEMV, TYPE_D, false}, {"dgemv_transpose", FAMILY_GEMV, TYPE_D, true},
    {"cgemv_none", FAMILY_GEMV, TYPE_C, false}, {"cgemv_transpose", FAMILY_GEMV, TYPE_C, true},
    {"zgemv_none", FAMILY_GEMV, TYPE_Z, false}, {"zgemv_transpose", FAMILY_GEMV, TYPE_Z, true},
    {"ssymv", FAMILY_SYMV, TYPE_S, false},      {"dsymv", FAMILY_SYMV, TYPE_D, false},
    {"wsymv", FAMILY_SYMV, TYPE_W, false},      {"chemv", FAMILY_HEMV, TYPE_C, false},
    {"zhemv", FAMILY_HEMV, TYPE_Z, false},
    {"strmv_none", FAMILY_TRMV, TYPE_S, false}, {"strmv_transpose", FAMILY_TRMV, TYPE_S, true},
    {"dtrmv_none", FAMILY_TRMV, TYPE_D, false}, {"dtrmv_transpose", FAMILY_TRMV, TYPE_D, true},
    {"ctrmv_none", FAMILY_TRMV, TYPE_C, false}, {"ctrmv_transpose", FAMILY_TRMV, TYPE_C, true},
    {"ztrmv_none", FAMILY_TRMV, TYPE_Z, false}, {"ztrmv_transpose", FAMILY_TRMV, TYPE_Z, true},
};

static const char *const form_names[TUNING_FORMS] = {"square", "tall", "wide"};

int tuning_class_of(const struct blas_call *call)
{
    const bool transposed =
        (call->family == FAMILY_GEMV || call->family == FAMILY_TRMV) && blas_is_transposed(call);
    for (int class = 0; class < TUNING_CLASSES; class++)
        if (classes[class].family == blas_full_family(call->family) && classes[class].type == call->type &&
            classes[class].transposed == transposed)
            return class;
    return TUNING_CLASS_NONE; /* cuBLAS has its own shapes */
}

const char *tuning_class_name(int class)
{
    return classes[class].name;
}

int tuning_class_parse(const char *name)
{
    for (int class = 0; class < TUNING_CLASSES; class++)
        if (strcmp(classes[class].name, name) == 0)
            return class;
    return TUNING_CLASS_NONE;
}

enum blas_family tuning_class_family(int class)
{
    return classes[class].family;
}

enum blas_type tuning_class_type(int class)
{
    return classes[class].type;
}

bool tuning_family_is_triangle(enum blas_family family)
{
    return family == FAMILY_SYMV || family == FAMILY_HEMV || family == FAMILY_TRMV;
}

int tuning_class_forms(int class)
{
    return classes[class].family == FAMILY_GEMV ? TUNING_FORMS : 1;
}

enum tuning_form tuning_form_of(const struct blas_call *call)
{
    if (call->family != FAMILY_GEMV)
        return TUNING_SQUARE;
    if (call->m / ASPECT >= call->n)
        return TUNING_TALL;
    return call->n / ASPECT >= call->m ? TUNING_WIDE : TUNING_SQUARE;
}

const char *tuning_form_name(enum tuning_form form)
{
    return form_names[form];
}

bool tuning_form_parse(const char *name, enum tuning_form *form)
{
    for (int i = 0; i < TUNING_FORMS; i++)
        if (strcmp(form_names[i], name) == 0) {
            *form = (enum tuning_form)i;
            return true;
        }
    return false;
}

/* The length next to `area` whose own tall call has the same number of leaf tiles in a row, if it is near. */
static double length_of_leaves(double terms, double area)
{
    const double leaves = ceil(terms / TUNING_UNIT), most = SIDE_RATIO * leaves * TUNING_UNIT,
                 least = (SIDE_RATIO * (leaves - 1) + 1) * TUNING_UNIT,
                 length = fmin(fmax(area, least), most);
    return length > area * LEAVES_OFF || length < area / LEAVES_OFF ? area : length;
}

/* Rounds of leaf tiles, and so steps of time, are of the terms of a sum; how much there is to read is of both
 * extents. A few terms more or less would be a size far off, if the terms are the shorter side. */
static int64_t gemv_length(const struct blas_call *call)
{
    const double area = sqrt((double)call->m * (double)call->n);
    const enum tuning_form form = tuning_form_of(call),
                           summed_long = blas_is_transposed(call) ? TUNING_TALL : TUNING_WIDE;
    const double terms = (double)(blas_is_transposed(call) ? call->m : call->n);
    if (form == TUNING_SQUARE)
        return (int64_t)ceil(fmin(fmax(terms, area / SQUARE_OFF), area * SQUARE_OFF));
    if (form == summed_long)
        return (int64_t)ceil(fmin(fmax(terms / SIDE_RATIO, area / LONG_OFF), area * LONG_OFF));
    return (int64_t)ceil(blas_is_transposed(call) ? area : length_of_leaves(terms, area));
}

int64_t tuning_size_of(const struct blas_call *call)
{
    const int64_t length = call->family == FAMILY_GEMV ? gemv_length(call) : call->n;
    return length > TUNING_UNIT ? (length + TUNING_UNIT - 1) / TUNING_UNIT : 1;
}

struct blas_call tuning_class_call(int class, int64_t m, int64_t n)
{
    const enum blas_family family = classes[class].family;
    const enum blas_type type = classes[class].type;
    struct blas_call call = {.family = family, .type = type, .n = n,
                             .trans = classes[class].transposed ? TRANS_TRANSPOSE : TRANS_NONE};
    const int64_t rows = family == FAMILY_GEMV ? m : n,
                  multiple = COLUMN_BYTES / (int64_t)blas_element_bytes(type);
    call.m = family == FAMILY_GEMV ? m : 0;
    call.alpha = blas_scalar_of(type, family == FAMILY_AXPY ? 0x1p-10 : 1.5);
    call.x = (struct blas_vector){NULL, classes[class].transposed ? rows : n, 1};
    call.y = (struct blas_vector){NULL, classes[class].transposed ? n : rows, 1};
    if (family == FAMILY_AXPY)
        return call;
    call.beta = blas_scalar_of(type, 0.5);
    call.a = (struct blas_matrix){NULL, rows, n, (rows + multiple - 1) / multiple * multiple,
                                  family == FAMILY_GEMV ? PART_FULL : PART_LOWER};
    return call;
}

/* 1 to most - 1, as if by chance: never whole tiles. */
static int64_t short_of(int64_t size, int64_t most)
{
    const uint64_t mixed = (uint64_t)size * 0x9e3779b97f4a7c15u;
    return 1 + (int64_t)((mixed >> 40) % (uint64_t)(most - 1));
}

struct blas_call tuning_class_call_at(int class, enum tuning_form form, int64_t size)
{
    const int64_t shorter = size * TUNING_UNIT / SIDE_RATIO - short_of(size, TUNING_UNIT / SIDE_RATIO),
                  length = size * TUNING_UNIT - short_of(size, TUNING_UNIT),
                  longer = size * TUNING_UNIT * SIDE_RATIO - short_of(size, TUNING_UNIT);
    if (form == TUNING_SQUARE)
        return tuning_class_call(class, length, length);
    return form == TUNING_TALL ? tuning_class_call(class, longer, shorter)
                               : tuning_class_call(class, shorter, longer);
}

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

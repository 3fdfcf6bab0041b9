/* axpy without gaps by all kinds of launch shapes, over several chunks of a block, from every alignment:
 * every element is fma(alpha, x, y), and what is around y stays as it was. */
#include "mublas.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum type { S, D, C, Z, TYPES };
enum { MOST = 20001, AROUND = 64 /* real parts */ };

static struct mublas_handle *handle;
static const float single_alpha[] = {1.25f, -0.75f};
static const double double_alpha[] = {1.25, -0.75};

static const struct mublas_launch_shape shapes[] = {
    {.edge = 0},
    {128, 32, 1, 1, 1, 1, MUBLAS_ORDER_DOWN, MUBLAS_LAST_ARRIVER},
    {256, 8, 1, 1, 1, 1, MUBLAS_ORDER_DOWN, MUBLAS_LAST_ARRIVER},
    {256, 8, 3, 4, 2, 1, MUBLAS_ORDER_DOWN, MUBLAS_LAST_ARRIVER},
    {256, 8, 5, 2, 1, 1, MUBLAS_ORDER_DOWN, MUBLAS_LAST_ARRIVER},
    {256, 8, 9, 4, 1, 1, MUBLAS_ORDER_DOWN, MUBLAS_LAST_ARRIVER},
    {128, 64, 2, 3, 0, 1, MUBLAS_ORDER_DOWN, MUBLAS_LAST_ARRIVER},
    {256, 64, 8, 8, 0, 1, MUBLAS_ORDER_DOWN, MUBLAS_LAST_ARRIVER}};
static const int lengths[] = {1, 2, 3, 4, 5, 7, 31, 64, 127, 129, 260, 1000, 1024, 1025, 4099, MOST};
static const int offsets[] = {0, 1, 2, 3, 31};

struct memory {
    unsigned char *x, *y;   /* on the device */
    unsigned char *from, *to, *result;
};

static size_t part_bytes(enum type type)
{
    return type == S || type == C ? sizeof(float) : sizeof(double);
}

static enum mublas_status run(enum type type, int n, const void *x, void *y)
{
    switch (type) {
    case S: return mublas_saxpy(handle, n, single_alpha, x, 1, y, 1);
    case D: return mublas_daxpy(handle, n, double_alpha, x, 1, y, 1);
    case C: return mublas_caxpy(handle, n, single_alpha, x, 1, y, 1);
    default: return mublas_zaxpy(handle, n, double_alpha, x, 1, y, 1);
    }
}

#define ADD(name, real, fused, alpha)                                                            \
    static void name(int n, bool is_complex, const real *x, real *y)                             \
    {                                                                                            \
        for (int i = 0; i < n; i++)                                                              \
            if (!is_complex) {                                                                   \
                y[i] = fused(alpha[0], x[i], y[i]);                                              \
            } else {                                                                             \
                const real re = fused(alpha[0], x[2 * i], y[2 * i]);                             \
                const real im = fused(alpha[0], x[2 * i + 1], y[2 * i + 1]);                     \
                y[2 * i] = fused(-alpha[1], x[2 * i + 1], re);                                   \
                y[2 * i + 1] = fused(alpha[1], x[2 * i], im);                                    \
            }                                                                                    \
    }
ADD(add_single, float, fmaf, single_alpha)
ADD(add_double, double, fma, double_alpha)

static size_t all_bytes(enum type type, int n)
{
    return ((size_t)n * (type == C || type == Z ? 2 : 1) + 2 * AROUND) * part_bytes(type);
}

/* Rewritten each time: memory around y is looked at, too. */
static void fill(enum type type, struct memory *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes / part_bytes(type); i++) {
        const double x = (double)(i * 7 % 101) / 64 - 0.7, y = (double)(i * 5 % 89) / 32 - 1.3;
        if (part_bytes(type) == sizeof(float))
            ((float *)memory->from)[i] = (float)x / 3, ((float *)memory->to)[i] = (float)y / 3;
        else
            ((double *)memory->from)[i] = x / 3, ((double *)memory->to)[i] = y / 3;
    }
}

static bool is_right(enum type type, struct memory *memory, int n, int x_offset, int y_offset)
{
    const size_t bytes = all_bytes(type, n), part = part_bytes(type);
    const size_t x_at = (size_t)x_offset * part, y_at = (size_t)y_offset * part;
    fill(type, memory, bytes);
    if (mublas_copy_to_device(handle, memory->x, memory->from, bytes) != MUBLAS_SUCCESS ||
        mublas_copy_to_device(handle, memory->y, memory->to, bytes) != MUBLAS_SUCCESS ||
        run(type, n, memory->x + x_at, memory->y + y_at) != MUBLAS_SUCCESS ||
        mublas_copy_to_host(handle, memory->result, memory->y, bytes) != MUBLAS_SUCCESS)
        return false;
    if (part == sizeof(float))
        add_single(n, type == C, (const float *)(memory->from + x_at), (float *)(memory->to + y_at));
    else
        add_double(n, type == Z, (const double *)(memory->from + x_at), (double *)(memory->to + y_at));
    return memcmp(memory->result, memory->to, bytes) == 0;
}

static void test_type(enum type type, struct memory *memory)
{
    enum { SHAPES = sizeof shapes / sizeof *shapes, LENGTHS = sizeof lengths / sizeof *lengths,
           OFFSETS = sizeof offsets / sizeof *offsets };
    for (int shape = 0; shape < SHAPES; shape++) {
        char failed[64] = "";
        bool good = mublas_set_launch_shape(handle, &shapes[shape]) == MUBLAS_SUCCESS;
        for (int i = 0; good && i < LENGTHS * OFFSETS * 3; i++) {
            const int n = lengths[i % LENGTHS], y_offset = offsets[i / LENGTHS % OFFSETS],
                      x_offset = i / LENGTHS / OFFSETS;
            good = is_right(type, memory, n, x_offset, y_offset);
            if (!good)
                snprintf(failed, sizeof failed, "n %d, x at %d, y at %d", n, x_offset, y_offset);
        }
        tap_ok(good, "mublas_%caxpy by %d x %d threads, %d ahead %s", "sdcz"[type], shapes[shape].threads_x,
               shapes[shape].threads_y, shapes[shape].leaf_columns, failed);
    }
}

int main(void)
{
    const size_t bytes = all_bytes(Z, MOST);
    struct memory memory = {.from = malloc(bytes), .to = malloc(bytes), .result = malloc(bytes)};
    if (mublas_create(&handle) != MUBLAS_SUCCESS)
        tap_skip_all(mublas_last_error(NULL));
    if (!memory.from || !memory.to || !memory.result ||
        mublas_device_allocate(handle, bytes, (void **)&memory.x) != MUBLAS_SUCCESS ||
        mublas_device_allocate(handle, bytes, (void **)&memory.y) != MUBLAS_SUCCESS)
        return 1;
    for (int type = S; type < TYPES; type++)
        test_type((enum type)type, &memory);
    mublas_device_free(handle, memory.x);
    mublas_device_free(handle, memory.y);
    mublas_destroy(handle);
    free(memory.from);
    free(memory.to);
    free(memory.result);
    return tap_done();
}

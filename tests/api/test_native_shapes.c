/* Launch shapes of the native API: every shape has the contract's bits, what cannot be had is
 * refused and launches nothing. Argument: n. */
#include "native.h"

#include "gpu/kernel_shapes.h"
#include "tap.h"

#include <string.h>

static struct mublas_handle *handle;
static int64_t size = 300;

static struct mublas_launch_shape as_set(const struct launch_shape *shape)
{
    return (struct mublas_launch_shape){(int)shape->edge, (int)shape->threads_x, (int)shape->threads_y,
                                        (int)shape->leaf_columns, (int)shape->blocks_per_multiprocessor,
                                        (int)shape->team_groups, (enum mublas_leaf_order)shape->order,
                                        (enum mublas_launch_variant)shape->variant};
}

static bool equal(const struct mublas_launch_shape *one, const struct mublas_launch_shape *two)
{
    return memcmp(one, two, sizeof *one) == 0; /* ints only */
}

/* The contract's bits, by the shape that was set? */
static bool is_right_by(const struct kernel_case *kernel_case, const struct mublas_launch_shape *shape)
{
    const struct placement placement = {.lda_padding = 1, .offset = 1, .x_increment = 1, .y_increment = 2};
    struct native_operands operands;
    struct mublas_launch_shape taken, set;
    bool good = native_operands_make(handle, kernel_case, &placement, &operands) &&
                mublas_set_launch_shape(handle, shape) == MUBLAS_SUCCESS &&
                native_operands_run(handle, &operands, true) == MUBLAS_SUCCESS &&
                mublas_get_latest_shape(handle, &taken) == MUBLAS_SUCCESS &&
                mublas_get_launch_shape(handle, &set) == MUBLAS_SUCCESS && equal(&set, shape) &&
                (shape->edge == 0 || equal(&taken, shape)) && native_operands_right(handle, &operands);
    native_operands_free(handle, &operands);
    return good;
}

static void test_bits(const struct kernel_case *kernel_case)
{
    const struct blas_call call = {.family = kernel_case->family, .type = kernel_case->type,
                                   .trans = kernel_case->trans, .m = kernel_case->m, .n = kernel_case->n};
    struct launch_shape shapes[KERNEL_SHAPES_MAX];
    char text[SHAPE_TEXT_MAX] = "";
    const int count = kernel_shapes(&call, true, shapes);
    int right = 0;
    for (int i = 0; i < count; i++) {
        const struct mublas_launch_shape shape = as_set(&shapes[i]);
        if (is_right_by(kernel_case, &shape))
            right++;
        else if (!*text)
            kernel_shape_text(&shapes[i], text);
    }
    tap_ok(count > 4 && right == count, "%s: the contract's bits by %d of %d shapes %s", kernel_case->name,
           right, count, text);
}

static void expect(enum mublas_status status, const char *message)
{
    if (!tap_ok(status == MUBLAS_BAD_ARGUMENT && strcmp(mublas_last_error(handle), message) == 0, "%s",
                message))
        printf("# got %d, \"%s\"\n", status, mublas_last_error(handle));
}

/* Also strips of every edge, which one routine or another can have. */
static void test_strips(void)
{
    struct mublas_launch_shape shape = {
        .threads_x = 64, .threads_y = 4, .team_groups = 1, .variant = MUBLAS_STRIPS};
    int taken = 0;
    for (shape.edge = 1; shape.edge <= 512; shape.edge++)
        taken += mublas_set_launch_shape(handle, &shape) == MUBLAS_SUCCESS;
    tap_ok(taken == 6, "of strips %d edges are taken", taken);
}

static const struct mublas_launch_shape usual = {
    .edge = 64, .threads_x = 16, .threads_y = 8, .leaf_columns = 1, .team_groups = 1};

/* Shapes that no routine can have are refused; the one before stays. */
static void test_refusals(void)
{
    struct mublas_launch_shape shape, set;
    mublas_set_launch_shape(handle, &usual);
#define REFUSED(member, value, message)  \
    shape = usual, shape.member = value; \
    expect(mublas_set_launch_shape(handle, &shape), "mublas_set_launch_shape: " message)
    REFUSED(edge, 96, "the edge must be 64, 128 or 256");
    REFUSED(edge, -64, "the edge must be 64, 128 or 256");
    REFUSED(threads_x, 1, "Tx must be a multiple of the threads of a memory transaction");
    REFUSED(threads_y, 64, "Tx * Ty must be 8 to 512");
    REFUSED(threads_y, -1, "Tx * Ty must be 8 to 512");
    REFUSED(leaf_columns, 0, "U must be 1 to edge / 32");
    REFUSED(leaf_columns, 3, "U must be 1 to edge / 32");
    REFUSED(blocks_per_multiprocessor, -1, "the blocks per multiprocessor must be 0 or more");
    REFUSED(team_groups, 2, "a team must have 1 or 4 groups");
    REFUSED(order, (enum mublas_leaf_order)2, "there is no such order of leaf tiles");
    REFUSED(variant, (enum mublas_launch_variant)-1, "there is no such variant");
    REFUSED(variant, (enum mublas_launch_variant)4, "there is no such variant");
    tap_ok(mublas_get_launch_shape(handle, &set) == MUBLAS_SUCCESS && equal(&set, &usual),
           "the shape that was set before stays");
    expect(mublas_get_launch_shape(handle, NULL), "mublas_get_launch_shape: shape is NULL");
    expect(mublas_get_latest_shape(handle, NULL), "mublas_get_latest_shape: shape is NULL");
}

/* Shapes that other routines can have: y stays as it is. */
static void test_unsuitable(void)
{
    const struct kernel_case gemv = {.family = FAMILY_GEMV, .type = TYPE_S, .m = 100, .n = 90, .alpha = {1},
                                     .name = "sgemv"};
    const struct placement placement = {.x_increment = 1, .y_increment = 1};
    struct mublas_launch_shape shape = usual, latest, before;
    struct native_operands operands;
    if (!native_operands_make(handle, &gemv, &placement, &operands))
        abort();
    unsigned char *y = malloc(operands.host.y.size);
    mublas_get_latest_shape(handle, &before);
    shape.variant = MUBLAS_IN_ORDER;
    mublas_set_launch_shape(handle, &shape);
    expect(native_operands_run(handle, &operands, true),
           "mublas_sgemv: the handle's launch shape does not suit: only symv and hemv have variants");
    shape.variant = MUBLAS_LAST_ARRIVER, shape.threads_x = 4;
    mublas_set_launch_shape(handle, &shape);
    expect(native_operands_run(handle, &operands, true),
           "mublas_sgemv: the handle's launch shape does not suit: "
           "Tx must be a multiple of the threads of a memory transaction");
    tap_ok(y && mublas_copy_to_host(handle, y, operands.y, operands.host.y.size) == MUBLAS_SUCCESS &&
               memcmp(y, operands.host.y.bytes, operands.host.y.size) == 0 &&
               mublas_get_latest_shape(handle, &latest) == MUBLAS_SUCCESS && equal(&latest, &before),
           "neither was launched");
    tap_ok(mublas_set_launch_shape(handle, NULL) == MUBLAS_SUCCESS &&
               native_operands_run(handle, &operands, true) == MUBLAS_SUCCESS &&
               native_operands_right(handle, &operands),
           "with the choice left to mublas it has the right bits");
    free(y);
    native_operands_free(handle, &operands);
}

int main(int count, char **arguments)
{
    struct mublas_launch_shape shape = usual;
    if (count > 1)
        size = strtoll(arguments[1], NULL, 10);
    if (mublas_create(&handle) != MUBLAS_SUCCESS)
        tap_skip_all(mublas_last_error(NULL));
    tap_ok(mublas_get_launch_shape(handle, &shape) == MUBLAS_SUCCESS &&
               equal(&shape, &(struct mublas_launch_shape){0}),
           "at first mublas chooses");
    expect(mublas_get_latest_shape(handle, &shape),
           "mublas_get_latest_shape: the handle has not launched anything yet");
    const struct kernel_case cases[] = {
        {.family = FAMILY_AXPY, .type = TYPE_D, .n = 30 * size, .alpha = {1.5}, .name = "daxpy"},
        {.family = FAMILY_GEMV,
         .type = TYPE_C,
         .m = size,
         .n = size + 7,
         .alpha = {1.5, 2},
         .beta = {-1},
         .name = "cgemv"},
        {.family = FAMILY_GEMV,
         .type = TYPE_S,
         .trans = TRANS_TRANSPOSE,
         .m = size,
         .n = size - 7,
         .alpha = {1.5},
         .beta = {2},
         .name = "sgemv, transposed"},
        {.family = FAMILY_SYMV, .type = TYPE_D, .n = size, .alpha = {1.5}, .beta = {2}, .name = "dsymv"},
        {.family = FAMILY_SYMV, .type = TYPE_W, .n = size / 2, .alpha = {1.5}, .beta = {2}, .name = "wsymv"},
        {.family = FAMILY_HEMV,
         .type = TYPE_Z,
         .uplo = UPLO_UPPER,
         .n = size,
         .alpha = {1.5},
         .name = "zhemv"},
        {.family = FAMILY_TRMV, .type = TYPE_D, .uplo = UPLO_UPPER, .n = size, .name = "dtrmv"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test_bits(&cases[i]);
    test_strips();
    test_refusals();
    test_unsuitable();
    mublas_destroy(handle);
    return tap_done();
}

#include "kernel_shapes.h"

#include <stdio.h>

struct row {
    bool few;
    struct launch_shape shape; /* threads_x: in units of launch_shape_unit */
};

static const struct row rows[] = {
    {true, {64, 4, 2, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}},
    {true, {128, 3, 11, 2, 2, ORDER_ALONG, 1, VARIANT_LAST_ARRIVER}},
    {true, {256, 6, 5, 3, 0, ORDER_ALONG, 1, VARIANT_LAST_ARRIVER}},
    {true, {256, 32, 1, 1, 1, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}},
    {true, {64, 3, 4, 2, 0, ORDER_DOWN, 1, VARIANT_IN_ORDER}},
    {true, {128, 4, 3, 1, 1, ORDER_DOWN, 1, VARIANT_IN_ORDER}},
    {true, {64, 4, 2, 1, 1, ORDER_ALONG, 1, VARIANT_BOTH_HALVES}},
    {true, {256, 8, 4, 1, 0, ORDER_DOWN, 1, VARIANT_BOTH_HALVES}},
    {false, {64, 4, 4, 1, 2, ORDER_DOWN, 1, VARIANT_IN_ORDER}},
    {false, {128, 4, 4, 1, 0, ORDER_DOWN, 1, VARIANT_IN_ORDER}},
    {false, {256, 8, 4, 1, 0, ORDER_DOWN, 1, VARIANT_IN_ORDER}},
    {false, {256, 8, 8, 1, 3, ORDER_ALONG, 1, VARIANT_IN_ORDER}},
    {false, {64, 2, 8, 1, 0, ORDER_DOWN, 1, VARIANT_BOTH_HALVES}},
    {false, {128, 4, 4, 1, 0, ORDER_DOWN, 1, VARIANT_BOTH_HALVES}},
    {false, {128, 5, 7, 2, 2, ORDER_ALONG, 1, VARIANT_BOTH_HALVES}},
    {false, {64, 1, 8, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}},
    {false, {64, 1, 64, 2, 3, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}},
    {false, {64, 5, 3, 2, 0, ORDER_ALONG, 1, VARIANT_LAST_ARRIVER}},
    {false, {64, 64, 1, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}},
    {false, {128, 4, 4, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}},
    {false, {128, 2, 16, 4, 1, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}},
    {false, {128, 7, 9, 3, 5, ORDER_ALONG, 1, VARIANT_LAST_ARRIVER}},
    {false, {128, 16, 2, 1, 0, ORDER_ALONG, 1, VARIANT_LAST_ARRIVER}},
    {false, {128, 64, 1, 2, 2, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}},
    {false, {256, 8, 4, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}},
    {false, {256, 8, 8, 1, 4, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}},
    {false, {256, 1, 8, 8, 0, ORDER_ALONG, 1, VARIANT_LAST_ARRIVER}},
    {false, {256, 9, 7, 5, 1, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}},
    {false, {256, 16, 3, 2, 0, ORDER_ALONG, 1, VARIANT_LAST_ARRIVER}},
    {false, {256, 64, 1, 4, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}},
    {true, {128, 8, 4, 2, 1, ORDER_ALONG, 4, VARIANT_LAST_ARRIVER}},
    {true, {64, 16, 4, 1, 1, ORDER_DOWN, 4, VARIANT_IN_ORDER}},
    {true, {128, 8, 8, 1, 0, ORDER_DOWN, 4, VARIANT_BOTH_HALVES}},
    {false, {64, 5, 15, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}},
    {false, {256, 16, 4, 3, 3, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}},
    {true, {8, 16, 2, 1, 0, ORDER_DOWN, 1, VARIANT_STRIPS}},
    {true, {32, 9, 3, 1, 1, ORDER_DOWN, 1, VARIANT_STRIPS}},
    {false, {16, 8, 1, 1, 0, ORDER_DOWN, 1, VARIANT_STRIPS}},
    {true, {32, 16, 4, 1, 0, ORDER_DOWN, 4, VARIANT_STRIPS}},
    {false, {64, 16, 2, 1, 2, ORDER_DOWN, 1, VARIANT_STRIPS}},
    {false, {256, 64, 1, 1, 0, ORDER_DOWN, 1, VARIANT_STRIPS}},
};

int kernel_shapes(const struct blas_call *call, bool few, struct launch_shape *shapes)
{
    int count = 0;
    shapes[count++] = (struct launch_shape){.edge = 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct launch_shape shape = rows[i].shape;
        shape.threads_x *= launch_shape_unit(call->type);
        if ((rows[i].few || !few || call->family == FAMILY_AXPY) && !launch_shape_fault(call, &shape))
            shapes[count++] = shape;
    }
    return count;
}

void kernel_shape_text(const struct launch_shape *shape, char *text)
{
    snprintf(text, SHAPE_TEXT_MAX, "edge %u, %u x %u threads, U %u, m %u, order %d, teams of %u, variant %d",
             shape->edge, shape->threads_x, shape->threads_y, shape->leaf_columns,
             shape->blocks_per_multiprocessor, (int)shape->order,
             shape->team_groups, (int)shape->variant);
}

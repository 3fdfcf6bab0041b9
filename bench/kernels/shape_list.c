#include "shape_list.h"

#include <stdlib.h>
#include <string.h>

enum {
    EDGE,
    THREADS_X,
    THREADS_Y,
    LEAF_COLUMNS,
    BLOCKS,
    ORDER,
    GROUPS,
    VARIANT,
    NUMBERS,
    NUMBER_MOST = 1 << 20
};

static bool read_numbers(const char *text, unsigned numbers[NUMBERS])
{
    for (int i = 0; i < NUMBERS; i++) {
        char *end;
        const unsigned long number = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || number > NUMBER_MOST || *end != (i + 1 < NUMBERS ? ',' : '\0'))
            return false;
        numbers[i] = (unsigned)number;
        text = end + 1;
    }
    return true;
}

bool shape_list_add(struct shape_list *list, const char *text)
{
    unsigned numbers[NUMBERS];
    if (list->count == SHAPE_LIST_MOST)
        return false;
    struct given_shape *given = &list->shapes[list->count];
    *given = (struct given_shape){.text = text};
    if (strcmp(text, "chosen") != 0) {
        if (!read_numbers(text, numbers) || numbers[EDGE] == 0)
            return false;
        given->shape = (struct launch_shape){numbers[EDGE],      numbers[THREADS_X],
                                             numbers[THREADS_Y], numbers[LEAF_COLUMNS],
                                             numbers[BLOCKS],    (enum leaf_order)numbers[ORDER],
                                             numbers[GROUPS],    (enum symv_variant)numbers[VARIANT]};
    }
    list->count++;
    return true;
}

const char *shape_list_fault(const struct blas_call *call, const struct given_shape *given)
{
    if (given->shape.edge == 0)
        return NULL;
    const char *fault = launch_shape_fault(call, &given->shape);
    return fault || launch_shape_can(call, &given->shape) ? fault : "too many tiles";
}

#include "command/tuning_groups.h"

#include "tuner/decision.h"
#include "tuner/shape_space.h"

#include <stdlib.h>
#include <string.h>

static bool are_of_one_class(const struct tuning_row *a, const struct tuning_row *b)
{
    return a->class == b->class && a->form == b->form;
}

static bool are_of_one_size(const struct tuning_row *a, const struct tuning_row *b)
{
    return are_of_one_class(a, b) && a->m == b->m && a->n == b->n;
}

static bool next_group(const struct tuning_row *rows, size_t count, struct tuning_group *group,
                       bool (*belong)(const struct tuning_row *, const struct tuning_row *))
{
    const struct tuning_row *end = rows + count;
    const struct tuning_row *first = group->count > 0 ? group->rows + group->count : rows;
    *group = (struct tuning_group){first, 0};
    while (first + group->count < end && belong(first, first + group->count))
        group->count++;
    return group->count > 0;
}

bool tuning_next_class(const struct tuning_table *table, struct tuning_group *group)
{
    return next_group(table->rows, table->count, group, are_of_one_class);
}

bool tuning_next_size(const struct tuning_group *class, struct tuning_group *size)
{
    return next_group(class->rows, class->count, size, are_of_one_size);
}

size_t tuning_size_count(const struct tuning_group *class)
{
    struct tuning_group size = {NULL, 0};
    size_t count = 0;
    while (tuning_next_size(class, &size))
        count++;
    return count;
}

const struct tuning_row *tuning_fastest(const struct tuning_group *size, enum tuning_stage stage)
{
    for (size_t i = 0; i < size->count; i++) /* sorted by time within a stage */
        if (size->rows[i].stage == stage)
            return &size->rows[i];
    return NULL;
}

const struct tuning_row *tuning_chosen(const struct tuning_group *size, const struct class_recipe *rules)
{
    const struct tuning_row *chosen = NULL, *first = size->rows;
    const struct blas_call call = tuning_class_call(first->class, first->m, first->n);
    struct launch_shape shape;
    if (!rules ||
        !decision_of(rules, first->class, first->form, tuning_size_of(&call), rules->by_occupancy, &shape))
        return NULL;
    for (size_t i = 0; i < size->count; i++) {
        const struct tuning_row *row = &size->rows[i];
        if (row->stage != TUNED_CUBLAS && (!chosen || row->stage == TUNED_FINAL) &&
            shape_is_same(row->class, &row->shape, &shape))
            chosen = row;
    }
    return chosen;
}

const struct tuning_row *tuning_fastest_of_all(const struct tuning_group *size)
{
    const struct tuning_row *fastest = NULL;
    for (size_t i = 0; i < size->count; i++)
        if (size->rows[i].stage != TUNED_CUBLAS && (!fastest || size->rows[i].us < fastest->us))
            fastest = &size->rows[i];
    return fastest;
}

static int by_shape(const void *one, const void *other)
{
    return memcmp(one, other, sizeof(struct launch_shape));
}

size_t tuning_shape_count(const struct tuning_group *class)
{
    struct launch_shape *shapes = calloc(class->count, sizeof *shapes);
    size_t count = 0, different = 0;
    for (size_t i = 0; shapes && i < class->count; i++)
        if (class->rows[i].stage != TUNED_CUBLAS)
            memcpy(&shapes[count++], &class->rows[i].shape, sizeof *shapes);
    if (count > 0)
        qsort(shapes, count, sizeof *shapes, by_shape);
    for (size_t i = 0; i < count; i++)
        different += i == 0 || by_shape(&shapes[i], &shapes[i - 1]) != 0;
    free(shapes);
    return different;
}

double tuning_rate(const struct tuning_row *row)
{
    return tuning_row_bytes(row) / row->us / 1e3;
}

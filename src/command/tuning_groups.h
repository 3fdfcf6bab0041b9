/* tuning_groups.h - a tuning table taken apart: classes with their forms, sizes, stages. */
#ifndef MUBLAS_TUNING_GROUPS_H
#define MUBLAS_TUNING_GROUPS_H

#include "tuner/recipe.h"
#include "tuner/tuning_table.h"

/* Rows that follow each other, of one class and form, or of one size of these. */
struct tuning_group {
    const struct tuning_row *rows;
    size_t count;
};

/* The group of a class and form that starts after `group`, whose count is 0 for the first. False: none. */
bool tuning_next_class(const struct tuning_table *table, struct tuning_group *group);
/* The next size within a class. */
bool tuning_next_size(const struct tuning_group *class, struct tuning_group *size);
size_t tuning_size_count(const struct tuning_group *class);

/* The fastest row of a stage at one size; NULL: none there. */
const struct tuning_row *tuning_fastest(const struct tuning_group *size, enum tuning_stage stage);
/* One row of the shape that a recipe chooses for the size, of the last stage rather than of
 * others; NULL: it was not timed there, or there is no recipe (`rules` NULL). */
const struct tuning_row *tuning_chosen(const struct tuning_group *size, const struct class_recipe *rules);
/* Of whatever stage, cuBLAS aside. */
const struct tuning_row *tuning_fastest_of_all(const struct tuning_group *size);

/* How many different shapes were timed. */
size_t tuning_shape_count(const struct tuning_group *class);

/* GB/s of a row. */
double tuning_rate(const struct tuning_row *row);

#endif

/* tuning_summary.h - what tuning measured, as a table: a line for each class and form. */
#ifndef MUBLAS_TUNING_SUMMARY_H
#define MUBLAS_TUNING_SUMMARY_H

#include "command/tuning_groups.h"

#include <stdio.h>

/* How close a stage's shape comes to the fastest shape, at the sizes that have the stage: median
 * and 5th percentile of fastest time / its time; NaN where no size has it. The fastest is that
 * of stage TUNED_BEST, elsewhere of TUNED_FINAL. */
struct tuning_closeness {
    size_t sizes;
    double median, low;
};
struct tuning_closeness tuning_closeness_of(const struct tuning_group *class, enum tuning_stage stage);

void tuning_summary(FILE *stream, const struct tuning_table *table);

#endif

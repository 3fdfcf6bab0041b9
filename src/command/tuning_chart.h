/* tuning_chart.h - what tuning measured of one class and form, as the papers draw it: above,
 * a box plot of all shapes at each size with curves of the chosen one, the built-in one and
 * cuBLAS; below, the block and edge that were chosen and the fastest. */
#ifndef MUBLAS_TUNING_CHART_H
#define MUBLAS_TUNING_CHART_H

#include "command/tuning_groups.h"

#include <stdio.h>

/* `rules`: of the recipe for this class and form, NULL: not known; then only the chosen shapes
 * at held-out sizes are drawn. */
void tuning_chart(FILE *stream, const char *device, const struct tuning_group *class,
                  const struct class_recipe *rules);

#endif

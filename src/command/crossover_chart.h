/* crossover_chart.h - the learned times of one routine family: a panel for each class with the
 * host's time, the device's with the matrix resident, and with its upload, over the size. */
#ifndef MUBLAS_CROSSOVER_CHART_H
#define MUBLAS_CROSSOVER_CHART_H

#include "tuner/learned_times.h"

#include <stdio.h>

/* Classes of the family with a curve on either side: as many panels. */
int crossover_chart_panels(const struct learned_times *times, enum blas_family family);
void crossover_chart(FILE *stream, const struct learned_times *times, enum blas_family family);

/* "axpy", ..., "syr2k". */
const char *crossover_family_name(enum blas_family family);

/* The borders of every class, as a table: the least n from which on calls gain on the device. */
void crossover_summary(FILE *stream, const struct learned_times *times);

#endif

/* crossover_table.h - the learned times of calls, for people: the size from which each class gains on the device,
 * and the curves for plots. */
#ifndef MUBLAS_CROSSOVER_TABLE_H
#define MUBLAS_CROSSOVER_TABLE_H

#include "tuner/online/learned_times.h"

#include <stdio.h>

/* The borders of every class: the least n from which on calls gain on the device, with the matrix resident and with its
 * upload. */
void crossover_table(FILE *stream, const struct learned_times *times);

/* Comma-separated: class, size, microseconds on the host, on the device with the matrix resident, and with its
 * upload; a line for each of many sizes of a class, nothing where a time is not known. */
void crossover_curves(FILE *stream, const struct learned_times *times);

#endif

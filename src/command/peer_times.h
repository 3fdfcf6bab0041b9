/* peer_times.h - cuBLAS's times, as bench/kernels/measure writes them, beside those of tuning. */
#ifndef MUBLAS_PEER_TIMES_H
#define MUBLAS_PEER_TIMES_H

#include "tuner/tuning_table.h"

/* Add a row of stage TUNED_CUBLAS for every case of the file that a tuning class stands for:
 * aligned, cold, lower triangle, non-unit diagonal. False: it cannot be read, has no such case,
 * or was measured on another device than the table; `fault` names it. */
bool peer_times_add(const char *path, struct tuning_table *table, char fault[TUNING_FAULT_BYTES]);

#endif

/* crossover_built_in.h - what crossover.h predicts where nothing was learned, from the figures of its
 * machine_model. For crossover.c alone. Pure functions; microseconds. */
#ifndef MUBLAS_CROSSOVER_BUILT_IN_H
#define MUBLAS_CROSSOVER_BUILT_IN_H

#include "tuner/online/crossover.h"

double built_in_host_us(const struct machine_model *model, const struct blas_call *call);

/* On the device with every operand there; `trackable` as in crossover_place. */
double built_in_resident_us(const struct machine_model *model, const struct blas_call *call, bool trackable);

/* As crossover_floor. */
uint64_t built_in_floor(const struct machine_model *model, enum blas_family family, enum blas_type type);

#endif

/* route_orders.h - from which orders on LAPACK's routines run on the device. */
#ifndef MUBLAS_ROUTE_ORDERS_H
#define MUBLAS_ROUTE_ORDERS_H

#include "tuner/online/crossover.h"

#include <stdio.h>

/* A row for each kind of routine, by the model and MUBLAS_OFFLOAD: the least order of a square matrix,
 * with all vectors or as many right-hand sides, from which a call pays, and where that is from. And from
 * which orders on mublas' own eigensolver takes two stages, and up to which a cluster. */
void route_orders_print(FILE *stream, const struct machine_model *model);

#endif

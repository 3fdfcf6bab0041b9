/* factor_times.h - predicted times of factorisations and what follows from them, by their operation counts and the measured
 * times of potrf, getrf and geqrf (design section 2's table). Pure. */
#ifndef MUBLAS_FACTOR_TIMES_H
#define MUBLAS_FACTOR_TIMES_H

#include "tuner/online/route_times.h"

/* True, and seconds in double precision on the table's machine, where the family is one of these. */
bool factor_times_find(const struct route_shape *shape, double *host_seconds, double *device_seconds);

#endif

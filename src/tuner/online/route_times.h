/* route_times.h - predicted times of LAPACK routines on the host and on the device.
 *
 * From measured times of one machine (an H100 beside 16 cores), between whose orders times
 * are powers of the order, times what the tuner learned of this one (route_factors.h). Pure. */
#ifndef MUBLAS_ROUTE_TIMES_H
#define MUBLAS_ROUTE_TIMES_H

#include "tuner/online/crossover.h"

/* Below this order no route pays: the device needs some milliseconds for any. */
enum { ROUTE_ORDER_LEAST = 96 };

struct route_times {
    double host_us;    /* as many threads as the model has cores */
    double compute_us; /* on the device */
    double moving_us;  /* up and down */
    double kept_us;    /* of that, the way up of what stays on the device */
    bool own;          /* on the device by mublas' own eigensolver, if that is able to do it */
};

struct route_times route_times_predict(const struct machine_model *model, const struct route_shape *shape);

/* Of factorisations and what follows from them, by their operation counts and the measured times of potrf,
 * getrf and geqrf (route_times.c): true, and seconds in double precision on the machine measured,
 * where the family is one of these. */
bool factor_times_find(const struct route_shape *shape, double *host_seconds, double *device_seconds);

#endif

/* route_times.h - predicted times of LAPACK routines on the host and on the device.
 *
 * From measured times of one machine (an H100 beside 16 cores), between whose orders times
 * are powers of the order, times what the tuner learned of this one (route_factors.h). Pure. */
#ifndef MUBLAS_ROUTE_TIMES_H
#define MUBLAS_ROUTE_TIMES_H

#include "lapack/families.h"
#include "tuner/online/crossover.h"

/* Below this order no route pays: the device needs some milliseconds for any. */
enum { ROUTE_ORDER_LEAST = 96 };

struct route_shape {
    enum lapack_family family;
    enum blas_type type;
    bool vectors, is_right;        /* vectors are wanted; reflectors are applied from the right */
    bool solvers_alone;            /* an eigenproblem that only cuSOLVER solves */
    int64_t m, n, k;               /* rows and columns; vectors wanted, right-hand sides or reflectors */
    uint64_t bytes_up, bytes_down; /* over the link */
    uint64_t bytes_kept;           /* of those up, of a matrix that stays on the device between calls */
};

/* What our own eigensolver has to do with. */
static inline bool route_is_eigenproblem(enum lapack_family family)
{
    return family <= LAPACK_SYGVX || family == LAPACK_SYTRD;
}

struct route_times {
    double host_us;    /* as many threads as the model has cores */
    double compute_us; /* on the device */
    double moving_us;  /* up and down */
    double kept_us;    /* of that, the way up of what stays on the device */
    bool own;          /* on the device by mublas' own eigensolver, if that is able to do it */
};

struct route_times route_times_predict(const struct machine_model *model, const struct route_shape *shape);

/* What the first use of cuSOLVER costs: its handle, and a routine's kernels. */
extern const double route_opening_us;

/* Of factorisations and what follows from them, by their operation counts and the measured times of potrf,
 * getrf and geqrf (route_times.c): true, and seconds in double precision on the machine measured,
 * where the family is one of these. */
bool factor_times_find(const struct route_shape *shape, double *host_seconds, double *device_seconds);

#endif

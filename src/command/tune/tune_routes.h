/* tune_routes.h - the part of `mublas tune` that learns how far this machine's times of LAPACK routines are
 * from the built-in curves (route_factors.h): dsyevd and zheevd, with and without vectors, dgetrf and
 * dgesdd, near the orders from which they pay; and from which order on mublas' own eigensolver is faster than
 * cuSOLVER's. */
#ifndef MUBLAS_TUNE_ROUTES_H
#define MUBLAS_TUNE_ROUTES_H

#include "tuner/online/route_factors.h"

#include <stdbool.h>

/* What it takes at most, about, cuSOLVER's eigensolver included: two seconds where the host is fast. */
#define TUNE_ROUTES_SECONDS 6.0

/* Learn, in a process that keeps all on the host and in two that do not, the second with cuSOLVER's
 * eigensolver. Factors of which nothing could be timed
 * stay as they are, those of the device also where any of the routine's calls stayed on the host. Nothing
 * where there is no cuSOLVER. `eigenproblems_alone`: no factorisations and singular values. */
void tune_routes(struct route_factors *factors, bool eigenproblems_alone, const char *who);

#endif

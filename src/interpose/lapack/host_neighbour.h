/* host_neighbour.h - another routine of the library that a call's host routine is in. */
#ifndef MUBLAS_LAPACK_HOST_NEIGHBOUR_H
#define MUBLAS_LAPACK_HOST_NEIGHBOUR_H

#include "interpose/lapack/call.h"

/* Of the call's type and form of names: "gebal" beside scipy_dgeev_64_ is scipy_dgebal_64_. NULL: it is not there. Stays
 * loaded as long as the routine. Thread-safe. */
host_function *host_neighbour(const struct lapack_call *call, const char *name);

#endif

/* host_blas.h - find and bind the host BLAS.
 *
 * Two tables drive everything: host_functions holds the host's own entry points;
 * forward_slots is what the stubs jump through: the same pointers, or counting
 * stubs when a report was asked for, or, before binding, a resolver that binds
 * late and goes on with the call's arguments untouched.
 * The constructor only looks symbols up (RTLD_NEXT); when BLAS is not yet there
 * (it came in by dlopen(RTLD_LOCAL), or MUBLAS_HOST_BLAS names it) the first
 * call binds. mublas never binds to itself. */
#ifndef MUBLAS_HOST_BLAS_H
#define MUBLAS_HOST_BLAS_H

#include "interpose/routines.h"

#include <stdbool.h>

typedef void host_function(void); /* cast to the routine's own type before a call */

extern host_function *host_functions[ROUTINE_COUNT]; /* NULL: the host lacks it */
extern host_function *forward_slots[ROUTINE_COUNT];

/* Bind now if not yet bound: next in the search order, then a BLAS already
 * loaded locally, then MUBLAS_HOST_BLAS, then the configured default. False
 * when no host BLAS can be found (logged in one line). Thread-safe. */
bool host_blas_bind(void);

/* File name of the bound library, and how it was found, for info and report;
 * "none" before binding. Static storage. */
const char *host_blas_path(void);
const char *host_blas_origin(void);

#endif

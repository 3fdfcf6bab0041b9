/* host_blas.h - find and bind the host BLAS.
 *
 * Two tables drive everything: host_functions holds the host's own entry points;
 * forward_slots is what the stubs jump through: the same pointers, or counting
 * stubs (thunks.S) when a report was asked for. Until a host BLAS is bound, and
 * for ever where it lacks a routine, host_functions holds resolvers, which bind
 * late and go on with the call's arguments untouched, or stop the program with
 * one clear line: so both tables may always be jumped through.
 * The constructor only looks symbols up (RTLD_NEXT); when BLAS is not yet there
 * (it came in by dlopen(RTLD_LOCAL), or MUBLAS_HOST_BLAS names it) the first
 * call binds. mublas never binds to itself. */
#ifndef MUBLAS_HOST_BLAS_H
#define MUBLAS_HOST_BLAS_H

#include "interpose/routines.h"

#include <stdbool.h>

typedef void host_function(void); /* cast to the routine's own type before a call */

extern host_function *host_functions[ROUTINE_COUNT]; /* never NULL, see above */
extern host_function *forward_slots[ROUTINE_COUNT];

/* Bind now if not yet bound: next in the search order, then a BLAS already
 * loaded locally, then MUBLAS_HOST_BLAS, then the configured default, then
 * well-known names. False when no host BLAS can be found. A set or configured
 * library that cannot be used is logged in one line. Thread-safe; holds no lock
 * while it looks symbols up, because the loader's own lock may be held by a
 * thread that waits for this one. */
bool host_blas_bind(void);

/* True when a host BLAS is bound and has the routine. */
bool host_blas_has(enum routine routine);

/* File name of the bound library, and how it was found, for info and report;
 * "none" before binding. Static storage. */
const char *host_blas_path(void);
const char *host_blas_origin(void);

/* The host's routine, binding first where needed; for the resolvers of thunks.S.
 * Does not return when there is none: one line, then abort. */
host_function *host_blas_resolve(unsigned routine);

#endif

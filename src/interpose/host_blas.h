/* host_blas.h - find and bind the host BLAS.
 *
 * Tables drive everything: host_functions holds the host's own entry points;
 * forward_slots is what the stubs jump through: the same pointers, or counting
 * stubs (thunks.S) when a report was asked for; entry_slots (entry_slots.h) is where
 * calls past their gate go when the name does not tell the integer width. Until a host
 * BLAS is bound, and for ever where it lacks a routine, host_functions holds resolvers,
 * which bind late and go on with the call's arguments untouched, or stop the program
 * with one clear line: so all tables may always be jumped through.
 * Each interface (interfaces.h) has its own host library: a wheel's scipy_ names live
 * elsewhere than libblas.so.3.
 * The constructor only looks symbols up (RTLD_NEXT); when BLAS is not yet there
 * (it came in by dlopen(RTLD_LOCAL), or MUBLAS_HOST_BLAS names it) the first
 * call binds. mublas never binds to itself. */
#ifndef MUBLAS_HOST_BLAS_H
#define MUBLAS_HOST_BLAS_H

#include "interpose/symbols.h"

typedef void host_function(void); /* cast to the routine's own type before a call */

extern host_function *host_functions[SYMBOL_COUNT]; /* never NULL, see above */
extern host_function *forward_slots[SYMBOL_COUNT];

/* Bind now if not yet bound: next in the search order, then a BLAS already
 * loaded locally, then MUBLAS_HOST_BLAS, then the configured default, then
 * well-known names. False when no host BLAS can be found. A set or configured
 * library that cannot be used is logged in one line. Thread-safe; holds no lock
 * while it looks symbols up, because the loader's own lock may be held by a
 * thread that waits for this one. */
bool host_blas_bind(enum interface interface);
bool host_blas_is_bound(enum interface interface);

/* File name of the bound library, and how it was found, for info and report;
 * "none" before binding. Static storage. */
const char *host_blas_path(enum interface interface);
const char *host_blas_origin(enum interface interface);

/* The host's routine, binding first where needed; for the resolvers of thunks.S.
 * Does not return when there is none: one line, then abort. */
host_function *host_blas_resolve(enum symbol symbol, const void *caller);

/* The width of the integers that the bound library takes by this interface's names.
 * WIDTH_DETECTED: the library does not tell. Where the name does not settle it, asks
 * the library's isamax, once; so never in a constructor. */
enum integer_width host_blas_width(enum interface interface);

#endif

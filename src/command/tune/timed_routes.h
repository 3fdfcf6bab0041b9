/* timed_routes.h - times of LAPACK routines in the process under the shim (timed_calls.h). */
#ifndef MUBLAS_TIMED_ROUTES_H
#define MUBLAS_TIMED_ROUTES_H

#include <stdbool.h>

/* Of the request
 *   route NAME N JOBZ       any letter where it has no JOBZ
 * microseconds of that call of the shim's, the median of three after a first one; then of the first. Calls go
 * where the process's settings send them. False: another request, or it cannot be done. */
bool timed_routes_answer(const char *request, double us[2]);

#endif

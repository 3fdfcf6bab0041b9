/* losses.h - shapes that keep failing on the device.
 *
 * Probing by an attempt that fails is normal use of LAPACK (is the matrix positive definite?), and the
 * host answers it faster than device and host together. So a routine and shape that was given back twice
 * in a row, for its data or after an error of the device, stays on the host. Pure but for the record;
 * thread-safe. */
#ifndef MUBLAS_LAPACK_LOSSES_H
#define MUBLAS_LAPACK_LOSSES_H

#include "host/symbols.h"
#include "tuner/online/route_times.h"

#include <stdbool.h>

/* Has it lost that often? */
bool losses_forbid(enum symbol symbol, const struct route_shape *shape);

/* It was given back so, or came to a success. */
void losses_note(enum symbol symbol, const struct route_shape *shape, bool lost);

#endif

/* cholesky_steps.h - the steps of a shared Cholesky factorisation between devices, queued by one thread. */
#ifndef MUBLAS_LAPACK_CHOLESKY_STEPS_H
#define MUBLAS_LAPACK_CHOLESKY_STEPS_H

#include "lapack/several/cholesky_part.h"

/* Queues all of it on the parts' streams, whose blocks are there; waits for the INFO of each block.
 * STATUS_UNSUCCESSFUL: one was not 0. After a failure some of it may be queued still. */
enum status cholesky_steps_run(struct cholesky_part *parts, int count);

#endif

/* launch.h - run a level-1/2 call in mublas' own kernels.
 *
 * The call's pointers are device addresses and its result bits are those of the
 * numerical contract (kernels/contract.h), whatever shape is chosen here.
 *   axpy, gemv, symv, hemv  y is updated in place
 *   trmv                    x is read, y is written: the same vector or one that does not overlap x
 * With alpha == 0 A and x are not read (their pointers may be anything). Zero sizes never
 * come here. */
#ifndef MUBLAS_LAUNCH_H
#define MUBLAS_LAUNCH_H

#include "common/blas_call.h"
#include "gpu/lane.h"

/* True when a kernel exists for this family, type and flags at this size. */
bool launch_supported(const struct blas_call *call);

/* Queue the call on the lane's stream (reserving workspace first). Returns
 * without waiting; an error of the kernel itself shows at lane_synchronise. */
enum status launch(struct lane *lane, const struct blas_call *call);

#endif

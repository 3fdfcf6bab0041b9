/* shared_cholesky.h - potrf on several devices at once.
 *
 * Each has some blocks of the triangle in its memory (block_columns.h). Block after block is factored where
 * it is, by cuSOLVER's potrf and a triangular solve, and sent to the others, which take its product off their
 * own blocks. The next block comes first, so that its factorisation and its way to the others run beside the
 * other products (look-ahead). Blocks go up, and home, by a thread for each device, so that every link is
 * used. Which device has a block depends on the order and the devices alone: the same bits each time on the
 * same devices. */
#ifndef MUBLAS_LAPACK_SHARED_CHOLESKY_H
#define MUBLAS_LAPACK_SHARED_CHOLESKY_H

#include "lapack/factor.h"

struct shared_device {
    struct device *device;
    struct mirror_table *mirrors;
    const struct solver_library *library; /* its own */
    double pace;                          /* operations per second, or what is proportional to them */
};

/* STATUS_OK: the factor is in host memory, and INFO is 0. STATUS_UNSUCCESSFUL: a minor is not positive
 * definite. Otherwise as route_run: unless the result is lost, a failure leaves host memory as it was. */
enum status shared_cholesky_run(const struct factor_problem *problem, const struct shared_device *devices,
                                int count, struct patience *patience, struct transfer_count *moved);

#endif

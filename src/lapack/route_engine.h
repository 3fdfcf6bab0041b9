/* route_engine.h - the steps of route_run, for the files that implement route.h. */
#ifndef MUBLAS_ROUTE_ENGINE_H
#define MUBLAS_ROUTE_ENGINE_H

#include "lapack/route.h"
#include "lapack/workspace.h"

/* One run of a route in its lane. */
struct route_run {
    struct route *route;
    struct route_lane *lane;
    struct mirror_table *mirrors;
    struct patience *patience;
};

enum { ROUTE_INFO_BYTES = 256 };

/* INFO and all vectors, one behind the other. */
static inline size_t route_vector_bytes(const struct route *route)
{
    size_t bytes = ROUTE_INFO_BYTES;
    for (int i = 0; i < ROUTE_VECTORS_MAX; i++)
        bytes += device_aligned(route->vectors[i].bytes);
    return bytes;
}

/* Where an operand's host matrices are on the device. */
static inline CUdeviceptr route_first_address(const struct route *route, const struct route_operand *operand)
{
    return operand->address + (CUdeviceptr)(operand->first_column * operand->ld + operand->first_row) *
                                  blas_element_bytes(route->type);
}

/* route_send.c: true when diagonals and vectors let INFO be 0. Reads host memory. */
bool route_host_values_are_good(const struct route *route);

/* Queues everything that goes up. */
enum status route_send(struct route_run *run);

/* Waits for it, and checks its values on the device. STATUS_VALUES: not finite, or LAPACK would scale. */
enum status route_check_values(struct route_run *run);

/* route_home.c: brings INFO and vectors to private memory, after everything queued. */
enum status route_fetch_vectors(struct route_run *run);

/* Brings matrices to the program's memory. */
enum status route_bring_home(struct route_run *run);

/* route_mirrors.c: queues a copy of `up` from its mirror, if that exists and is clean, or is made so for an
 * operand that is kept. Otherwise not STATUS_OK: nothing is queued, and the caller sends host memory. */
enum status route_take_from_mirror(struct route_run *run, const struct route_operand *operand);

/* Brings `home`, whose column 0 is at `address`, to host memory by way of its mirror, so that both are equal.
 * STATUS_UNSUPPORTED: it has no mirror, or is a triangle. *touched: host memory may have been written. */
enum status route_leave_in_mirror(struct route_run *run, const struct route_operand *operand,
                                  CUdeviceptr address, bool *touched);

#endif

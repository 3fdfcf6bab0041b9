/* route_engine.h - the steps of route_run, private to the files behind route.h. */
#ifndef MUBLAS_ROUTE_ENGINE_H
#define MUBLAS_ROUTE_ENGINE_H

#include "lapack/route.h"

/* One run of a route in its lane. */
struct route_run {
    struct route *route;
    struct route_lane *lane;
    struct mirror_table *mirrors;
    struct patience *patience;
};

static inline size_t route_aligned(size_t bytes)
{
    enum { ALIGNMENT = 256 };
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

enum { ROUTE_INFO_BYTES = 256 };

/* INFO and all vectors, one behind the other. */
static inline size_t route_vector_bytes(const struct route *route)
{
    size_t bytes = ROUTE_INFO_BYTES;
    for (int i = 0; i < ROUTE_VECTORS_MAX; i++)
        bytes += route_aligned(route->vectors[i].bytes);
    return bytes;
}

/* Where an operand's host matrices are on the device. */
static inline CUdeviceptr route_first_address(const struct route *route, const struct route_operand *operand)
{
    return operand->address + (CUdeviceptr)(operand->first_column * operand->ld + operand->first_row) *
                                  blas_element_bytes(route->type);
}

/* route_send.c: are diagonals and vectors such that no INFO comes of them? Reads host memory. */
bool route_host_values_are_good(const struct route *route);

/* Queue everything that goes up. */
enum status route_send(struct route_run *run);

/* Wait for it, and look at it on the device. STATUS_VALUES: not finite, or LAPACK would scale. */
enum status route_check_values(struct route_run *run);

/* route_home.c: INFO and vectors come to private memory, after all that is queued. */
enum status route_fetch_vectors(struct route_run *run);

/* Matrices come to the program's memory. */
enum status route_bring_home(struct route_run *run);

/* route_mirrors.c: queue a copy of what `up` has in host memory from its mirror, if that is there and clean, or made so for
 * an operand that is kept. Anything but STATUS_OK: nothing is queued, host memory is to be sent. */
enum status route_take_from_mirror(struct route_run *run, const struct route_operand *operand);

/* Bring `home`, whose column 0 is at `address`, to host memory by way of its mirror, where there is one: both are equal then.
 * STATUS_UNSUPPORTED: there is none, or it is a triangle. *touched: host memory may have been written. */
enum status route_leave_in_mirror(struct route_run *run, const struct route_operand *operand, CUdeviceptr address, bool *touched);

#endif

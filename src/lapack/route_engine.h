/* route_engine.h - the steps of route_execute, private to route.c: operands go up and are checked, results
 * come home, and mirrors of BLAS calls give and take on the way. */
#ifndef MUBLAS_ROUTE_ENGINE_H
#define MUBLAS_ROUTE_ENGINE_H

#include "lapack/matrix_part.h"
#include "lapack/route.h"

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

/* The address of an operand's host matrices on the device. */
static inline CUdeviceptr route_first_address(const struct route *route, const struct route_operand *operand)
{
    return operand->address + (CUdeviceptr)(operand->first_column * operand->ld + operand->first_row) *
                                  blas_element_bytes(route->type);
}

/* True when diagonals and vectors let INFO be 0. Reads host memory. */
bool route_host_values_are_good(const struct route *route);

/* Queues everything that goes up. */
enum status route_send(struct route_run *run);

/* Waits for it, and checks its values on the device. STATUS_VALUES: not finite, or LAPACK would scale. */
enum status route_check_values(struct route_run *run);

/* Brings INFO and vectors to private memory, after everything queued. */
enum status route_fetch_vectors(struct route_run *run);

/* Brings matrices to the program's memory. */
enum status route_bring_home(struct route_run *run);

#endif

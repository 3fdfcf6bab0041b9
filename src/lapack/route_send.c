/* Sends operands to the device and checks them there. */
#include "lapack/matrix_part.h"
#include "lapack/route_engine.h"
#include "lapack/route_values.h"
#include "mirror/transfer/part_transfer.h"

#include <string.h>

bool route_host_values_are_good(const struct route *route)
{
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++) {
        const struct route_operand *const operand = &route->operands[i];
        if (operand->up.pointer && operand->diagonal != DIAGONAL_ANY &&
            !route_values_diagonal_is_nonzero(&operand->up, route->type,
                                              operand->diagonal == DIAGONAL_REAL_NONZERO))
            return false;
    }
    for (int i = 0; i < ROUTE_VECTORS_MAX; i++)
        if (!route_values_are_finite(route->vectors[i].up, route->vectors[i].up_numbers, route->type))
            return false;
    return true;
}

/* The second half of each element of the diagonal. */
static enum status clear_imaginary_diagonal(const struct route *route, const struct route_operand *operand,
                                            struct lane *lane)
{
    const size_t element = blas_element_bytes(route->type);
    return device_check(
        lane->device,
        driver()->words_set_2d_async(operand->address + element / 2, ((size_t)operand->ld + 1) * element, 0,
                                     element / 2 / sizeof(uint32_t), (size_t)operand->rows, lane->stream),
        "clearing a diagonal's imaginary parts");
}

/* Through pinned memory of their own, until the stream has been waited for. */
static enum status send_vectors(struct route *route, struct lane *lane)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < ROUTE_VECTORS_MAX && status == STATUS_OK; i++) {
        const struct route_vector *const vector = &route->vectors[i];
        unsigned char *const pinned = lane->vectors[1] + (vector->address - route->info_address);
        if (!vector->up)
            continue;
        memcpy(pinned, vector->up, vector->bytes);
        status = device_check(
            lane->device,
            driver()->copy_to_device_async(vector->address, pinned, vector->bytes, lane->stream),
            "sending a LAPACK routine's vectors");
        route->moved.bytes_up += vector->bytes;
    }
    return status;
}

static enum status send_operand(struct route_run *run, const struct route_operand *operand)
{
    struct route *const route = run->route;
    struct lane *const lane = run->lane->lane;
    enum status status = route_take_from_mirror(run, operand);
    if (status != STATUS_OK) {
        status = part_upload(lane, route_first_address(route, operand), operand->ld, &operand->up,
                             blas_element_bytes(route->type), route->host_is_pinned);
        route->moved.bytes_up += blas_part_bytes(&operand->up, route->type);
    }
    return status == STATUS_OK && operand->hermitian ? clear_imaginary_diagonal(route, operand, lane)
                                                     : status;
}

enum status route_send(struct route_run *run)
{
    enum status status = send_vectors(run->route, run->lane->lane);
    for (int i = 0; i < ROUTE_OPERANDS_MAX && status == STATUS_OK; i++)
        if (run->route->operands[i].up.pointer)
            status = send_operand(run, &run->route->operands[i]);
    return status;
}

/* Each operand has its own place for moduli. */
static CUdeviceptr moduli_of(const struct route *route, int operand)
{
    return route->moduli_address + (CUdeviceptr)operand * PART_BLOCKS_MOST * sizeof(uint32_t);
}

static enum status queue_look(struct route_run *run, unsigned *blocks)
{
    const struct route *const route = run->route;
    enum status status = STATUS_OK;
    for (int i = 0; i < ROUTE_OPERANDS_MAX && status == STATUS_OK; i++) {
        const struct route_operand *const operand = &route->operands[i];
        const struct device_part part = {route_first_address(route, operand), operand->ld, operand->up.rows,
                                         operand->up.columns, operand->up.part};
        blocks[i] = 0;
        if (operand->up.pointer && !route->takes_any_values)
            status = matrix_part_queue_largest(run->lane->lane->device, run->lane->lane->stream, &part,
                                               route->type, moduli_of(route, i), &blocks[i]);
    }
    return status;
}

static bool is_safe(const struct route *route, int operand, const uint32_t *numbers, unsigned count)
{
    uint32_t largest = 0;
    for (unsigned i = 0; i < count; i++)
        largest = numbers[i] > largest ? numbers[i] : largest;
    return route->operands[operand].finite_suffices ? route_values_largest_is_finite(largest, route->type)
                                                    : route_values_largest_is_safe(largest, route->type);
}

enum status route_check_values(struct route_run *run)
{
    const struct route *const route = run->route;
    struct lane *const lane = run->lane->lane;
    const uint32_t *const numbers = (const void *)lane->vectors[0];
    unsigned blocks[ROUTE_OPERANDS_MAX];
    enum status status = queue_look(run, blocks);
    if (status == STATUS_OK)
        status = device_check(lane->device,
                              driver()->copy_to_host_async(lane->vectors[0], route->moduli_address,
                                                           ROUTE_MODULI_BYTES, lane->stream),
                              "fetching the largest moduli");
    if (status == STATUS_OK)
        status = route_lane_wait(run->lane, "sending a LAPACK routine's operands");
    for (int i = 0; i < ROUTE_OPERANDS_MAX && status == STATUS_OK; i++)
        if (blocks[i] > 0 && !is_safe(route, i, numbers + i * PART_BLOCKS_MOST, blocks[i]))
            status = STATUS_VALUES;
    return status;
}

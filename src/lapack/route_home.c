/* What comes home. */
#include "lapack/route_engine.h"
#include "mirror/transfer/part_transfer.h"

#include <string.h>

/* To the lane's own pinned memory, also that of vectors that went up: uploads may still read from staging. */
enum status route_fetch_vectors(struct route_run *run)
{
    struct route *const route = run->route;
    struct lane *const lane = run->lane->lane;
    unsigned char *const pinned = lane->vectors[0];
    const size_t bytes = route_vector_bytes(route);
    enum status status = device_check(
        lane->device, driver()->copy_to_host_async(pinned, route->info_address, bytes, lane->stream),
        "fetching a LAPACK routine's vectors");
    if (status == STATUS_OK)
        status = route_lane_wait(run->lane, "running a LAPACK routine");
    if (status != STATUS_OK)
        return status;
    memcpy(&route->info, pinned, sizeof route->info);
    memcpy(route->later_info, pinned + sizeof route->info, sizeof route->later_info);
    for (int i = 0; i < ROUTE_VECTORS_MAX; i++)
        if (route->vectors[i].values)
            memcpy(route->vectors[i].values, pinned + (route->vectors[i].address - route->info_address),
                   route->vectors[i].bytes);
    route->moved.bytes_down += bytes;
    return STATUS_OK;
}

/* A matrix that the routine also reads cannot be computed again once it has been written. */
static bool is_updated(const struct route *route, const struct route_operand *operand)
{
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++)
        if (route->operands[i].up.pointer && route->operands[i].up.pointer == operand->home.pointer)
            return true;
    return false;
}

/* The number of columns from `first` on that follow each other on the device as they do at home. */
static int64_t run_of(const struct route_operand *operand, int64_t first)
{
    int64_t count = 1;
    if (!operand->home_order)
        return operand->home.columns;
    while (first + count < operand->home.columns &&
           operand->home_order[first + count] == operand->home_order[first] + count)
        count++;
    return count;
}

static enum status bring_columns(const struct route *route, const struct route_operand *operand,
                                 struct lane *lane, bool *touched)
{
    const size_t element = blas_element_bytes(route->type);
    enum status status = STATUS_OK;
    for (int64_t first = 0, count; first < operand->home.columns && status == STATUS_OK; first += count) {
        const int64_t column = operand->home_order ? operand->home_order[first] : operand->home_first;
        struct blas_matrix part = operand->home;
        count = run_of(operand, first);
        part.pointer = (unsigned char *)part.pointer + (size_t)(first * part.ld) * element;
        part.columns = count;
        status = part_download(lane, &part,
                               route_first_address(route, operand) +
                                   (CUdeviceptr)(column * operand->ld) * element,
                               operand->ld, element, route->host_is_pinned, touched);
    }
    return status;
}

/* By the mirror of the same host memory, if there is one. */
static enum status bring_by_mirror(struct route_run *run, const struct route_operand *operand, bool *touched)
{
    const struct route *const route = run->route;
    const CUdeviceptr column_bytes = (CUdeviceptr)operand->ld * blas_element_bytes(route->type);
    if (operand->home_order)
        return STATUS_UNSUPPORTED;
    return route_leave_in_mirror(
        run, operand, route_first_address(route, operand) + (CUdeviceptr)operand->home_first * column_bytes,
        touched);
}

/* Tried twice from device memory. */
static enum status bring_home(struct route_run *run, const struct route_operand *operand, bool *touched)
{
    enum status status = bring_by_mirror(run, operand, touched);
    for (int attempt = 0; attempt < 2 && status != STATUS_OK; attempt++)
        status = bring_columns(run->route, operand, run->lane->lane, touched);
    if (status == STATUS_OK)
        run->route->moved.bytes_down += blas_part_bytes(&operand->home, run->route->type);
    return status;
}

enum status route_bring_home(struct route_run *run)
{
    const struct route *const route = run->route;
    bool lost = false;
    for (int updated = 0; updated < 2; updated++)
        for (int i = 0; i < ROUTE_OPERANDS_MAX; i++) {
            const struct route_operand *const operand = &route->operands[i];
            bool touched = false;
            if (!operand->home.pointer || operand->home.columns == 0 ||
                is_updated(route, operand) != (updated == 1))
                continue;
            const enum status status = bring_home(run, operand, &touched);
            lost = lost || (touched && updated == 1 && !route->host_is_own);
            if (status != STATUS_OK)
                return lost ? STATUS_RESULT_LOST : status;
        }
    return STATUS_OK;
}

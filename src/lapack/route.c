#include "lapack/route.h"
#include "common/phase_clock.h"
#include "lapack/route_values.h"
#include "mirror/protection.h"
#include "mirror/staging.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256, LD_BYTES = 16, INFO_BYTES = ALIGNMENT };

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int64_t device_ld(const struct route *route, const struct route_operand *operand)
{
    const int64_t elements = LD_BYTES / (int64_t)blas_element_bytes(route->type);
    return elements > 1 ? (operand->rows + elements - 1) / elements * elements : operand->rows;
}

static size_t operand_bytes(const struct route *route, const struct route_operand *operand)
{
    return aligned((size_t)device_ld(route, operand) * (size_t)operand->columns * blas_element_bytes(route->type));
}

static size_t vector_bytes(const struct route *route)
{
    size_t bytes = INFO_BYTES;
    for (int i = 0; i < ROUTE_VECTORS_MAX; i++)
        bytes += aligned(route->vectors[i].bytes);
    return bytes;
}

size_t route_operand_bytes(const struct route *route)
{
    size_t bytes = vector_bytes(route);
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++)
        bytes += operand_bytes(route, &route->operands[i]);
    return bytes;
}

enum status route_reserve(struct route *route, int result, size_t device_bytes, size_t host_bytes)
{
    if (result != CUSOLVER_STATUS_SUCCESS || device_bytes > SIZE_MAX / 2 || host_bytes > SIZE_MAX / 2)
        return STATUS_UNSUPPORTED;
    if (device_bytes > route->device_workspace_bytes)
        route->device_workspace_bytes = device_bytes;
    if (host_bytes > route->host_workspace_bytes)
        route->host_workspace_bytes = host_bytes;
    return STATUS_OK;
}

enum status route_reserve_elements(struct route *route, int result, int elements)
{
    return elements < 0 ? STATUS_UNSUPPORTED
                        : route_reserve(route, result, (size_t)elements * blas_element_bytes(route->type), 0);
}

/* INFO, vectors, operands, workspace, in this order. */
static void place(struct route *route, CUdeviceptr address)
{
    route->info_address = address;
    address += INFO_BYTES;
    for (int i = 0; i < ROUTE_VECTORS_MAX; i++) {
        route->vectors[i].address = address;
        address += aligned(route->vectors[i].bytes);
    }
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++) {
        struct route_operand *const operand = &route->operands[i];
        operand->address = address;
        address += operand_bytes(route, operand);
    }
    route->workspace = address;
}

static bool operand_is_safe(const struct route_operand *operand, enum blas_type type)
{
    if (operand->diagonal != DIAGONAL_ANY &&
        !route_values_diagonal_is_nonzero(&operand->up, type, operand->diagonal == DIAGONAL_REAL_NONZERO))
        return false;
    return operand->finite_suffices ? route_values_of_matrix_are_finite(&operand->up, type)
                                    : route_values_are_safe(&operand->up, type);
}

static bool values_are_safe(const struct route *route)
{
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++)
        if (route->operands[i].up.pointer && !operand_is_safe(&route->operands[i], route->type))
            return false;
    for (int i = 0; i < ROUTE_VECTORS_MAX; i++)
        if (!route_values_are_finite(route->vectors[i].up, route->vectors[i].up_numbers, route->type))
            return false;
    return true;
}

static bool may_touch(const struct route *route)
{
    struct operand operands[2 * ROUTE_OPERANDS_MAX];
    int count = 0;
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++) {
        const struct blas_matrix *const both[] = {&route->operands[i].up, &route->operands[i].home};
        for (int j = 0; j < 2; j++)
            if (both[j]->pointer)
                operands[count++] = (struct operand){.matrix = *both[j],
                                                     .element_bytes = blas_element_bytes(route->type),
                                                     .access = j == 0 ? OPERAND_READ : OPERAND_OVERWRITE};
    }
    return protection_allows_all(operands, count);
}

/* The second half of each element of the diagonal. */
static enum status clear_imaginary_diagonal(const struct route *route, const struct route_operand *operand, struct lane *lane)
{
    const size_t element = blas_element_bytes(route->type);
    return device_check(lane->device,
                        driver()->words_set_2d_async(operand->address + element / 2, ((size_t)operand->ld + 1) * element, 0,
                                                     element / 2 / sizeof(uint32_t), (size_t)operand->rows, lane->stream),
                        "clearing a diagonal's imaginary parts");
}

static uint64_t part_bytes(const struct route *route, const struct blas_matrix *matrix)
{
    const uint64_t rows = (uint64_t)matrix->rows, columns = (uint64_t)matrix->columns;
    const uint64_t elements = matrix->part == PART_FULL ? rows * columns : columns * (columns + 1) / 2;
    return elements * blas_element_bytes(route->type);
}

/* By pinned memory of their own, until the stream was waited for. */
static enum status send_vectors(struct route *route, struct lane *lane)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < ROUTE_VECTORS_MAX && status == STATUS_OK; i++) {
        const struct route_vector *const vector = &route->vectors[i];
        unsigned char *const pinned = lane->vectors[1] + (vector->address - route->info_address);
        if (!vector->up)
            continue;
        memcpy(pinned, vector->up, vector->bytes);
        status = device_check(lane->device, driver()->copy_to_device_async(vector->address, pinned, vector->bytes, lane->stream),
                              "sending a LAPACK routine's vectors");
        route->moved.bytes_up += vector->bytes;
    }
    return status;
}

static CUdeviceptr first_address(const struct route *route, const struct route_operand *operand)
{
    return operand->address + (CUdeviceptr)(operand->first_column * operand->ld + operand->first_row) *
                                  blas_element_bytes(route->type);
}

static enum status send(struct route *route, struct lane *lane)
{
    enum status status = send_vectors(route, lane);
    for (int i = 0; i < ROUTE_OPERANDS_MAX && status == STATUS_OK; i++) {
        const struct route_operand *const operand = &route->operands[i];
        if (!operand->up.pointer)
            continue;
        status = staging_upload_part(lane, first_address(route, operand), operand->ld, &operand->up, blas_element_bytes(route->type));
        route->moved.bytes_up += part_bytes(route, &operand->up);
        if (status == STATUS_OK && operand->hermitian)
            status = clear_imaginary_diagonal(route, operand, lane);
    }
    return status;
}

/* To the lane's own pinned memory: not to staging, which uploads may still be read from. */
static enum status fetch_vectors(struct route *route, struct route_lane *lane)
{
    struct device *const device = lane->lane->device;
    unsigned char *const pinned = lane->lane->vectors[0];
    const size_t bytes = vector_bytes(route);
    enum status status =
        device_check(device, driver()->copy_to_host_async(pinned, route->info_address, bytes, lane->lane->stream),
                     "fetching a LAPACK routine's vectors");
    if (status == STATUS_OK)
        status = route_lane_wait(lane, "running a LAPACK routine");
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

/* A matrix that was read as well cannot be computed again once it has been written. */
static bool is_updated(const struct route *route, const struct route_operand *operand)
{
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++)
        if (route->operands[i].up.pointer && route->operands[i].up.pointer == operand->home.pointer)
            return true;
    return false;
}

/* Columns from `first` on that follow each other on the device as they do at home. */
static int64_t run_of(const struct route_operand *operand, int64_t first)
{
    int64_t count = 1;
    if (!operand->home_order)
        return operand->home.columns;
    while (first + count < operand->home.columns && operand->home_order[first + count] == operand->home_order[first] + count)
        count++;
    return count;
}

static enum status bring_columns(const struct route *route, const struct route_operand *operand, struct lane *lane, bool *touched)
{
    const size_t element = blas_element_bytes(route->type);
    enum status status = STATUS_OK;
    for (int64_t first = 0, count; first < operand->home.columns && status == STATUS_OK; first += count) {
        const int64_t column = operand->home_order ? operand->home_order[first] : operand->home_first;
        struct blas_matrix part = operand->home;
        count = run_of(operand, first);
        part.pointer = (unsigned char *)part.pointer + (size_t)(first * part.ld) * element;
        part.columns = count;
        status = staging_download_part(lane, &part,
                                       first_address(route, operand) + (CUdeviceptr)(column * operand->ld) * element,
                                       operand->ld, element, touched);
    }
    return status;
}

/* Retried once from device memory. */
static enum status bring_home(struct route *route, const struct route_operand *operand, struct lane *lane, bool *touched)
{
    enum status status = STATUS_DEVICE_ERROR;
    for (int attempt = 0; attempt < 2 && status != STATUS_OK; attempt++)
        status = bring_columns(route, operand, lane, touched);
    if (status == STATUS_OK)
        route->moved.bytes_down += part_bytes(route, &operand->home);
    return status;
}

static enum status bring_all_home(struct route *route, struct lane *lane)
{
    bool lost = false;
    for (int updated = 0; updated < 2; updated++)
        for (int i = 0; i < ROUTE_OPERANDS_MAX; i++) {
            const struct route_operand *const operand = &route->operands[i];
            bool touched = false;
            if (!operand->home.pointer || operand->home.columns == 0 || is_updated(route, operand) != (updated == 1))
                continue;
            const enum status status = bring_home(route, operand, lane, &touched);
            lost = lost || (touched && updated == 1);
            if (status != STATUS_OK)
                return lost ? STATUS_RESULT_LOST : status;
        }
    return STATUS_OK;
}

static enum status compute(struct route *route, struct route_lane *lane)
{
    phase_enter(PHASE_UPLOAD);
    enum status status = send(route, lane->lane);
    phase_enter(PHASE_LAUNCH);
    if (status == STATUS_OK)
        status = route->method->queue(route, &lane->handle);
    phase_enter(PHASE_FINISH);
    if (status == STATUS_OK)
        return fetch_vectors(route, lane);
    route_lane_wait(lane, "abandoning a LAPACK routine"); /* queued copies still read staging memory */
    return status;
}

static enum status run_placed(struct route *route, struct route_lane *lane)
{
    enum status status = compute(route, lane);
    phase_enter(PHASE_RESULT);
    if (status == STATUS_OK && !route->method->judge(route))
        status = STATUS_UNSUCCESSFUL;
    if (status == STATUS_OK)
        status = bring_all_home(route, lane->lane);
    if (status == STATUS_OK && route->accept && !route->accept(route))
        status = STATUS_UNSUCCESSFUL;
    return status;
}

/* Vectors come home through pinned memory of so many bytes. */
static bool is_too_long(const struct route *route)
{
    return vector_bytes(route) > LANE_VECTOR_BYTES;
}

static enum status run_in_memory(struct route *route, struct route_lane *lane, struct mirror_table *mirrors)
{
    CUdeviceptr memory;
    size_t bytes = route_operand_bytes(route) + aligned(route->device_workspace_bytes);
    phase_enter(PHASE_MEMORY);
    route->host_workspace = route->host_workspace_bytes ? malloc(route->host_workspace_bytes) : NULL;
    enum status status = route->host_workspace_bytes && !route->host_workspace ? STATUS_OUT_OF_MEMORY : STATUS_OK;
    if (status == STATUS_OK)
        status = operands_borrow(mirrors, bytes, bytes, &memory, &bytes);
    if (status == STATUS_OK) {
        place(route, memory);
        status = run_placed(route, lane);
        phase_enter(PHASE_MEMORY);
        operands_return(mirrors, memory, bytes);
    }
    free(route->host_workspace); /* which the device may use until it was waited for */
    return status;
}

static enum status run_in_lane(struct route *route, struct route_lane *lane, struct mirror_table *mirrors)
{
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++)
        route->operands[i].ld = device_ld(route, &route->operands[i]);
    enum status status = is_too_long(route) ? STATUS_UNSUPPORTED : route->method->plan(route, &lane->handle);
    phase_enter(PHASE_UPLOAD);
    if (status == STATUS_OK && !may_touch(route))
        status = STATUS_INACCESSIBLE;
    if (status == STATUS_OK && !values_are_safe(route))
        status = STATUS_VALUES;
    return status == STATUS_OK ? run_in_memory(route, lane, mirrors) : status;
}

enum status route_run(struct route *route, struct device *device, const struct solver_library *library,
                      struct mirror_table *mirrors, struct patience *patience)
{
    struct device_scope scope;
    struct route_lane *lane;
    enum status status = device_enter(device, &scope);
    if (status != STATUS_OK)
        return status;
    status = route_lane_acquire(device, library, patience, &lane);
    if (status == STATUS_OK) {
        status = run_in_lane(route, lane, mirrors);
        route_lane_release(lane);
    }
    phase_enter(PHASE_OTHER);
    device_leave(device, &scope);
    return status;
}

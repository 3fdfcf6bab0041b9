#include "lapack/device_matrix.h"
#include "lapack/route.h"
#include "mirror/transfer/transfer.h"

#include <string.h>

struct operand route_operand_of(const struct blas_matrix *matrix, enum blas_type type)
{
    return (struct operand){.matrix = *matrix, .element_bytes = blas_element_bytes(type),
                            .access = OPERAND_READ, .alignment = sizeof(uint32_t),
                            .kind = OPERAND_ROUTE_KINDS + (unsigned)type};
}

/* From the hold to its release, which may come once the stream has been waited for. */
static enum status copy_held(struct route_run *run, struct operands_hold *hold,
                             const struct device_part *from, CUdeviceptr to, int64_t to_ld)
{
    enum status status = matrix_part_copy(run->lane->lane->device, run->lane->lane->stream, from, to, to_ld,
                                          run->route->type);
    if (status == STATUS_OK)
        status = route_lane_wait(run->lane, "copying a matrix on the device");
    return status == STATUS_OK ? operands_write_back(hold) : status;
}

/* Queues a copy of `up` from its mirror, if that exists and is clean, or is made so for an operand that is
 * kept as it is. Otherwise not STATUS_OK: nothing is queued, and the caller sends host memory. */
static enum status route_take_from_mirror(struct route_run *run, const struct route_operand *operand)
{
    struct route *const route = run->route;
    struct operand held = route_operand_of(&operand->up, route->type);
    struct operands_hold *hold;
    struct transfer_count count = {0};
    enum status status = STATUS_UNSUPPORTED;
    if (operand->is_kept && route->keeps && !operand->home.pointer)
        status = operands_take_hold(run->mirrors, run->lane->lane, run->patience, &held, 1, 0, HOLD_MIRRORED,
                                    &hold);
    else if (operands_are_resident(run->mirrors, &held))
        status = operands_take_hold(run->mirrors, run->lane->lane, run->patience, &held, 1, 0, HOLD_CLEAN,
                                    &hold);
    if (status != STATUS_OK)
        return status;
    const struct device_part from = {held.device_address, held.device_ld, operand->up.rows,
                                     operand->up.columns, operand->up.part};
    const struct device_part place = route_place_of(route, operand, &operand->up);
    status = copy_held(run, hold, &from, place.address, place.ld);
    operands_release(hold, &count);
    route->moved.bytes_up += count.bytes_up;
    return status;
}

/* Brings `home`, whose place is `from`, to host memory by way of its mirror, so that both are equal.
 * STATUS_UNSUPPORTED: it has no mirror, nor is to get one. *touched: host memory may have been written. */
static enum status route_leave_in_mirror(struct route_run *run, const struct route_operand *operand,
                                         const struct device_part *from, bool *touched)
{
    struct operand held = route_operand_of(&operand->home, run->route->type);
    struct operands_hold *hold;
    if (operand->is_kept ? !run->route->keeps : !operands_are_resident(run->mirrors, &held))
        return STATUS_UNSUPPORTED;
    held.access = OPERAND_OVERWRITE;
    enum status status = operands_take_hold(run->mirrors, run->lane->lane, run->patience, &held, 1, 0,
                                            HOLD_RESULT, &hold);
    if (status != STATUS_OK)
        return status;
    status = copy_held(run, hold, from, held.device_address, held.device_ld);
    *touched = *touched || status == STATUS_OK || status == STATUS_RESULT_LOST;
    operands_release(hold, NULL);
    return status;
}

static bool diagonal_is_good(const struct route *route, const struct route_operand *operand)
{
    const bool is_to_be_real = operand->diagonal == DIAGONAL_REAL_NONZERO;
    if (!operand->up.pointer || operand->diagonal == DIAGONAL_ANY)
        return true;
    return operand->packed == PART_FULL
               ? route_values_diagonal_is_nonzero(&operand->up, route->type, is_to_be_real)
               : route_values_packed_diagonal_is_nonzero(operand->up.pointer, operand->packed, operand->rows,
                                                         route->type, is_to_be_real);
}

bool route_host_values_are_good(const struct route *route)
{
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++)
        if (!diagonal_is_good(route, &route->operands[i]))
            return false;
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
    const struct device_part place = route_place_of(route, operand, &operand->up),
                             part = route_sent_part(route, operand);
    enum status status = route_take_from_mirror(run, operand);
    if (status != STATUS_OK) {
        status = part_upload(lane, place.address, place.ld, &operand->up, blas_element_bytes(route->type),
                             route->host_is_pinned);
        route->moved.bytes_up += blas_part_bytes(&operand->up, route->type);
    }
    if (status == STATUS_OK && operand->packed != PART_FULL)
        status = matrix_part_unpack(lane->device, lane->stream, place.address, &part, route->type);
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
        const struct device_part part = route_sent_part(route, operand);
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

enum status route_pack_homes(struct route_run *run)
{
    const struct route *const route = run->route;
    struct lane *const lane = run->lane->lane;
    enum status status = STATUS_OK;
    for (int i = 0; i < ROUTE_OPERANDS_MAX && status == STATUS_OK; i++) {
        const struct route_operand *const operand = &route->operands[i];
        const struct device_part part = route_sent_part(route, operand);
        if (operand->home.pointer && route_is_packed(operand, &operand->home))
            status =
                matrix_part_pack(lane->device, lane->stream, &part, operand->packed_address, route->type);
    }
    return status;
}

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

/* The place of home's column `column` of the device. */
static struct device_part home_of(const struct route *route, const struct route_operand *operand,
                                  int64_t column)
{
    struct device_part place = route_place_of(route, operand, &operand->home);
    place.address += (CUdeviceptr)(column * place.ld) * blas_element_bytes(route->type);
    return place;
}

static enum status bring_columns(const struct route *route, const struct route_operand *operand,
                                 struct lane *lane, bool *touched)
{
    const size_t element = blas_element_bytes(route->type);
    enum status status = STATUS_OK;
    for (int64_t first = 0, count; first < operand->home.columns && status == STATUS_OK; first += count) {
        const int64_t column = operand->home_order ? operand->home_order[first] : operand->home_first;
        const struct device_part place = home_of(route, operand, column);
        struct blas_matrix part = operand->home;
        count = run_of(operand, first);
        part.pointer = (unsigned char *)part.pointer + (size_t)(first * part.ld) * element;
        part.columns = count;
        status =
            part_download(lane, &part, place.address, place.ld, element, route->host_is_pinned, touched);
    }
    return status;
}

/* Leaves the operand in the mirror of the same host memory, if there is one. */
static enum status bring_by_mirror(struct route_run *run, const struct route_operand *operand, bool *touched)
{
    const struct device_part place = home_of(run->route, operand, operand->home_first);
    return operand->home_order ? STATUS_UNSUPPORTED : route_leave_in_mirror(run, operand, &place, touched);
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

static bool has_home(const struct route *route, const struct route_operand *operand, bool updated)
{
    return operand->home.pointer && operand->home.columns > 0 && is_updated(route, operand) == updated;
}

void route_keep_originals(struct route_run *run)
{
    const struct route *const route = run->route;
    struct lane *const lane = run->lane->lane;
    bool has_all = true;
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++)
        if (has_home(route, &route->operands[i], true))
            has_all = has_all && originals_have(lane, &route->operands[i].home);
    if (has_all || route->host_is_own)
        return;
    originals_forget(lane);
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++)
        if (has_home(route, &route->operands[i], true))
            originals_note(lane, &route->operands[i].home, blas_element_bytes(route->type), false);
    originals_begin(lane);
}

static enum status bring_all_home(struct route_run *run)
{
    const struct route *const route = run->route;
    bool lost = false;
    for (int updated = 0; updated < 2; updated++)
        for (int i = 0; i < ROUTE_OPERANDS_MAX; i++) {
            const struct route_operand *const operand = &route->operands[i];
            bool touched = false;
            if (!has_home(route, operand, updated == 1))
                continue;
            const enum status status = bring_home(run, operand, &touched);
            lost = lost || (touched && updated == 1 && !route->host_is_own);
            if (status != STATUS_OK)
                return lost && !originals_restore(run->lane->lane) ? STATUS_RESULT_LOST : status;
        }
    return STATUS_OK;
}

enum status route_bring_home(struct route_run *run)
{
    route_keep_originals(run);
    originals_await(run->lane->lane);
    return bring_all_home(run);
}

enum status route_lane_wait(struct route_lane *lane, const char *what)
{
    const enum status status = stream_watch_wait(&lane->watch, what);
    if (status != STATUS_OK)
        lane->lane->broken = true;
    return status;
}

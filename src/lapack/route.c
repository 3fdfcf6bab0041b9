#include "common/phase_clock.h"
#include "lapack/route_engine.h"
#include "mirror/host_memory/protection.h"

enum { LD_BYTES = 16 };

static int64_t device_ld(const struct route *route, const struct route_operand *operand)
{
    const int64_t elements = LD_BYTES / (int64_t)blas_element_bytes(route->type);
    return elements > 1 ? (operand->rows + elements - 1) / elements * elements : operand->rows;
}

static size_t operand_bytes(const struct route *route, const struct route_operand *operand)
{
    return device_aligned((size_t)device_ld(route, operand) * (size_t)operand->columns *
                         blas_element_bytes(route->type));
}

/* Of device memory without workspace. */
static size_t operands_bytes(const struct route *route)
{
    size_t bytes = route_vector_bytes(route) + ROUTE_MODULI_BYTES;
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

/* INFO, vectors, moduli, operands, workspace, in this order. */
static void place(struct route *route, CUdeviceptr address)
{
    route->info_address = address;
    address += ROUTE_INFO_BYTES;
    for (int i = 0; i < ROUTE_VECTORS_MAX; i++) {
        route->vectors[i].address = address;
        address += device_aligned(route->vectors[i].bytes);
    }
    route->moduli_address = address;
    address += ROUTE_MODULI_BYTES;
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++) {
        struct route_operand *const operand = &route->operands[i];
        operand->address = address;
        address += operand_bytes(route, operand);
    }
    route->workspace = address;
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

static enum status compute(struct route_run *run)
{
    phase_enter(PHASE_UPLOAD);
    enum status status = route_send(run);
    if (status == STATUS_OK)
        status = route_check_values(run);
    phase_enter(PHASE_LAUNCH);
    if (status == STATUS_OK)
        status = run->route->method->queue(run->route, &run->lane->handle);
    phase_enter(PHASE_FINISH);
    if (status == STATUS_OK)
        return route_fetch_vectors(run);
    route_lane_wait(run->lane, "abandoning a LAPACK routine"); /* queued copies still read staging memory */
    return status;
}

static enum status run_placed(struct route_run *run)
{
    struct route *const route = run->route;
    enum status status = compute(run);
    phase_enter(PHASE_RESULT);
    if (status == STATUS_OK && !route->method->judge(route))
        status = STATUS_UNSUCCESSFUL;
    if (status == STATUS_OK && !may_touch(route)) /* what goes home may be known only now, or forbidden since */
        status = STATUS_INACCESSIBLE;
    if (status == STATUS_OK)
        status = route_bring_home(run);
    if (status == STATUS_OK && route->accept && !route->accept(route))
        status = STATUS_UNSUCCESSFUL;
    return status;
}

/* Of vectors, for the pinned memory: both halves of it serve them on their way home, the second one when they
 * go up. */
static bool is_too_long(const struct route *route)
{
    bool go_up = false;
    for (int i = 0; i < ROUTE_VECTORS_MAX; i++)
        go_up = go_up || route->vectors[i].up;
    return route_vector_bytes(route) > (go_up ? 1 : 2) * (size_t)LANE_VECTOR_BYTES;
}

/* Something queued may still use the memory of a broken lane; freeing waits for that. */
static void give_memory(struct route_run *run, CUdeviceptr memory, size_t bytes)
{
    if (run->lane->lane->broken)
        operands_return(run->mirrors, memory, bytes);
    else
        operands_keep(run->mirrors, memory, bytes);
}

static enum status run_in_memory(struct route_run *run)
{
    struct route *const route = run->route;
    CUdeviceptr memory;
    size_t bytes = operands_bytes(route) + device_aligned(route->device_workspace_bytes);
    phase_enter(PHASE_MEMORY);
    enum status status = route_lane_reserve_host(run->lane, route->host_workspace_bytes)
                             ? STATUS_OK
                             : STATUS_OUT_OF_MEMORY;
    route->host_workspace = run->lane->host_workspace;
    if (status == STATUS_OK)
        status = operands_borrow_kept(run->mirrors, bytes, &memory, &bytes);
    if (status == STATUS_OK) {
        place(route, memory);
        status = run_placed(run);
        phase_enter(PHASE_MEMORY);
        give_memory(run, memory, bytes);
    }
    return status;
}

/* Plan for less memory than there was too little of; false: the method has no such way. */
static bool plan_sparingly(struct route_run *run)
{
    struct route *const route = run->route;
    const size_t before = route->device_workspace_bytes;
    route->spares_memory = true;
    route->device_workspace_bytes = route->host_workspace_bytes = 0;
    return route->method->plan(route, &run->lane->handle) == STATUS_OK &&
           route->device_workspace_bytes < before;
}

static enum status run_in_lane(struct route_run *run)
{
    struct route *const route = run->route;
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++)
        route->operands[i].ld = device_ld(route, &route->operands[i]);
    enum status status = is_too_long(route) ? STATUS_UNSUPPORTED
                                            : route->method->plan(route, &run->lane->handle);
    phase_enter(PHASE_UPLOAD);
    if (status == STATUS_OK && !route->host_is_own && !may_touch(route))
        status = STATUS_INACCESSIBLE;
    if (status == STATUS_OK && !route_host_values_are_good(route))
        status = STATUS_VALUES;
    if (status == STATUS_OK)
        status = run_in_memory(run);
    return status == STATUS_OUT_OF_MEMORY && plan_sparingly(run) ? run_in_memory(run) : status;
}

enum status route_run(struct route *route, struct device *device, const struct solver_library *library,
                      struct mirror_table *mirrors, struct patience *patience)
{
    struct device_scope scope;
    struct route_run run = {.route = route, .mirrors = mirrors, .patience = patience};
    enum status status = device_enter(device, &scope);
    if (status != STATUS_OK)
        return status;
    status = route_lane_acquire(device, library, patience, &run.lane);
    if (status == STATUS_OK) {
        run.lane->watch.expected_seconds = route->expected_seconds;
        run.lane->watch.host_seconds = route->host_seconds;
        status = run_in_lane(&run);
        route_lane_release(run.lane);
    }
    phase_enter(PHASE_OTHER);
    device_leave(device, &scope);
    return status;
}

/* A call of the emulated cuSOLVER: looked at, queued in the handle's stream, run at the wait. */
#include "emulated_driver/cusolver.h"

#include <limits.h>
#include <string.h>

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void needed(const struct solver_call *call, size_t *device_bytes, size_t *host_bytes)
{
    const struct solver_routine *routine = call->routine;
    const size_t order = (size_t)larger(call->m, larger(call->n, call->k));
    const bool none = !routine->squares[0] && !routine->squares[1] && !routine->panels;
    const size_t elements = (size_t)routine->squares[call->vectors] * order * order +
                            (size_t)routine->panels * order;
    *device_bytes = none ? 0 : (elements + 64) * solver_element_bytes(call->type);
    *host_bytes = (size_t)routine->host * order;
}

static void check_dimensions(const struct solver_call *call)
{
    const int64_t most = larger(call->m, larger(call->n, call->k));
    if (call->m < 1 || call->n < 1 || call->k < 1 || most > INT_MAX)
        solver_abort("%s: dimensions %lld, %lld, %lld", call->function, (long long)call->m,
                     (long long)call->n, (long long)call->k);
    for (const struct operand *of = call->operands; of < call->operands + OPERANDS_MAX && of->name; of++)
        if (of->ld < larger(1, of->rows))
            solver_abort("%s: a leading dimension of %lld for %lld rows of %s", call->function,
                         (long long)of->ld, (long long)of->rows, of->name);
}

int solver_query(const struct solver_call *call, size_t *device_bytes, size_t *host_bytes)
{
    int64_t device;
    check_dimensions(call);
    needed(call, device_bytes, host_bytes);
    device = (int64_t)*device_bytes;
    const int status = solver_tell_workspace(&device, (int64_t)1 << 50);
    *device_bytes = (size_t)device;
    return status;
}

int solver_query_elements(const struct solver_call *call, int *lwork)
{
    size_t device, host;
    check_dimensions(call);
    needed(call, &device, &host);
    int64_t elements = (int64_t)(device / solver_element_bytes(call->type));
    const int status = solver_tell_workspace(&elements, INT_MAX);
    if (status == CUSOLVER_STATUS_SUCCESS)
        *lwork = (int)elements;
    return status;
}

static size_t span(const struct operand *of)
{
    if (of->rows == 0 || of->columns == 0)
        return 0;
    return (size_t)((of->columns - 1) * of->ld + of->rows) * solver_element_bytes(of->type);
}

static void check_memory(const struct solver_call *call, const char *name, const void *address, size_t bytes,
                         size_t alignment)
{
    const CUdeviceptr device = (CUdeviceptr)(uintptr_t)address;
    if (bytes && (device % alignment || !emulated_is_accessible(device, bytes)))
        solver_abort("%s: %s at %p is not %zu bytes of device memory", call->function, name, address, bytes);
}

static void check_apart(const struct solver_call *call, const char *name, const void *address, size_t bytes,
                        const struct operand *of)
{
    const char *begin = address, *other = of->address;
    if (bytes && span(of) && begin < other + span(of) && other < begin + bytes)
        solver_abort("%s: %s lies in %s", call->function, name, of->name);
}

static void check_operands(const struct solver_call *call)
{
    size_t device, host;
    needed(call, &device, &host);
    if (call->workspace_bytes < device || call->host_bytes < host)
        solver_abort("%s: a workspace of %zu and %zu bytes for %zu and %zu", call->function,
                     call->workspace_bytes, call->host_bytes, device, host);
    if (host &&
        (!call->host_workspace || emulated_is_accessible((CUdeviceptr)(uintptr_t)call->host_workspace, 1)))
        solver_abort("%s: no host workspace at %p", call->function, call->host_workspace);
    check_memory(call, "the workspace", call->workspace, device ? call->workspace_bytes : 0,
                 solver_element_bytes(call->type));
    check_memory(call, "INFO", call->info, sizeof *call->info, sizeof *call->info);
    for (const struct operand *of = call->operands; of < call->operands + OPERANDS_MAX && of->name; of++) {
        check_memory(call, of->name, of->address, span(of), solver_element_bytes(of->type));
        check_apart(call, "the workspace", call->workspace, device ? call->workspace_bytes : 0, of);
        check_apart(call, "INFO", call->info, sizeof *call->info, of);
    }
}

static uint64_t poison_of(char type)
{
    const uint64_t narrow = type == 's' || type == 'c' ? SOLVER_POISON_FLOAT : SOLVER_POISON_INT;
    return type == 'd' || type == 'z' ? SOLVER_POISON_DOUBLE : narrow * 0x100000001u;
}

/* Poisons what is only written; the host's outputs always, since nothing queued reads them. */
static void poison_before(CUstream stream, const struct solver_call *call)
{
    emulated_poison_output(stream, (CUdeviceptr)(uintptr_t)call->info, sizeof *call->info, poison_of('i'),
                           true);
    for (const struct operand *of = call->operands; of < call->operands + OPERANDS_MAX && of->name; of++)
        for (int64_t column = 0; of->written && of->before == NOTHING && column < of->columns; column++) {
            const size_t bytes = solver_element_bytes(of->type);
            emulated_poison_output(stream,
                                   (CUdeviceptr)(uintptr_t)of->address + (size_t)(column * of->ld) * bytes,
                                   (size_t)of->rows * bytes, poison_of(of->type), false);
        }
    if (call->found)
        solver_poison(call->found, 'l', 1);
    if (call->found_int)
        solver_poison(call->found_int, 'i', 1);
    if (call->error_sigma)
        solver_poison(call->error_sigma, 'd', 1);
    if (call->host_bytes)
        memset(call->host_workspace, 0xff, call->host_bytes);
}

static void poison_all(struct solver_call *call)
{
    for (const struct operand *of = call->operands; of < call->operands + OPERANDS_MAX && of->name; of++)
        if (of->written)
            solver_poison_rest(of, NOTHING, 0);
}

static enum contents contents(const struct solver_call *call)
{
    enum contents all = FINITE;
    for (const struct operand *of = call->operands; of < call->operands + OPERANDS_MAX && of->name; of++) {
        const enum contents one = solver_contents(of);
        all = one > all ? one : all;
        if (one == NOT_FINITE || (one == POISONED && !call->routine->direct))
            solver_abort("%s: %s has an element that is not finite", call->function, of->name);
    }
    return all;
}

/* The last element that is a result. */
static void spoil(const struct solver_call *call, const struct operand *of, int64_t defined)
{
    const bool is_single = of->type == 's' || of->type == 'c';
    const int64_t last = of->after == UPPER && defined < of->rows ? defined : of->rows;
    if (of->type != 'i' && of->type != 'l' && defined > 0 && last > 0)
        emulated_spoil(call->function, of->name, of->rows,
                       (char *)of->address +
                           (size_t)(last - 1 + (defined - 1) * of->ld) * solver_element_bytes(of->type),
                       is_single);
}

/* INFO, and with INFO = 0 the outputs. */
static int compute(struct solver_call *call)
{
    for (int i = 0; i < OPERANDS_MAX; i++)
        call->defined[i] = call->operands[i].columns;
    if (contents(call) == POISONED) {
        poison_all(call);
        return 0;
    }
    const int info = call->requested_info ? call->requested_info : call->routine->run(call);
    if (info < 0)
        solver_abort("%s: LAPACK's INFO is %d", call->function, info);
    if (info > 0)
        poison_all(call);
    for (int i = 0; info == 0 && i < OPERANDS_MAX && call->operands[i].name; i++)
        if (call->operands[i].written) {
            spoil(call, &call->operands[i], call->defined[i]);
            solver_poison_rest(&call->operands[i], call->operands[i].after, call->defined[i]);
        }
    return info;
}

static void run(void *argument)
{
    struct solver_call *call = argument;
    if (call->workspace_bytes)
        memset(call->workspace, 0xff, call->workspace_bytes);
    if (call->host_bytes)
        memset(call->host_workspace, 0xff, call->host_bytes);
    const int info = compute(call);
    *call->info = info == 0 ? call->reported_info : info;
}

int solver_submit(cusolverDnHandle_t handle, const struct solver_call *call)
{
    struct solver_call queued = *call;
    CUstream stream = solver_stream(handle);
    check_dimensions(&queued);
    check_operands(&queued);
    if (larger(queued.m, larger(queued.n, queued.k)) > SOLVER_TRIED) {
        queued.reported_info = solver_reported_info(queued.function);
        emulated_hold("EMULATED_SOLVER_HOLD");
    }
    queued.requested_info = solver_requested_info(queued.function);
    if (!queued.workspace)
        queued.workspace_bytes = 0;
    if (!queued.host_workspace)
        queued.host_bytes = 0;
    poison_before(stream, &queued);
    return emulated_enqueue(stream, run, &queued, sizeof queued) == CUDA_SUCCESS
               ? CUSOLVER_STATUS_SUCCESS
               : CUSOLVER_STATUS_EXECUTION_FAILED;
}

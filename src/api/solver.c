#include "api/solver.h"

#include <string.h>

static enum status open(struct api_solver *solver, struct device *device, CUstream stream)
{
    const struct solver_library *library;
    enum status status = solver_library_open(device, &library);
    if (status == STATUS_OK)
        status = device_check(device, driver()->event_create(&solver->done, CU_EVENT_DISABLE_TIMING),
                              "creating an event");
    if (status != STATUS_OK)
        return status;
    status = solver_handle_create(library, stream, &solver->handle);
    solver->has_stream = status == STATUS_OK;
    if (status != STATUS_OK) {
        driver()->event_destroy(solver->done);
        solver->done = NULL;
    }
    return status;
}

static enum status set_stream(struct api_solver *solver, CUstream stream)
{
    const struct solver_library *const library = solver->handle.library;
    enum status status =
        solver_status(library, library->set_stream(solver->handle.solver, stream), "setting a stream");
    if (status == STATUS_OK)
        status = solver_blas_status(library, library->blas_set_stream(solver->handle.cublas, stream),
                                    "setting a stream");
    solver->handle.stream = stream;
    solver->has_stream = status == STATUS_OK;
    return status;
}

enum status api_solver_prepare(struct api_solver *solver, struct device *device, CUstream stream,
                               bool captured)
{
    enum status status = STATUS_OK;
    if (!solver->handle.library)
        return open(solver, device, stream);
    if (!solver->has_stream)
        status = set_stream(solver, stream);
    /* An event from outside would spoil a capture. Per-thread streams look alike. */
    if (status == STATUS_OK && solver->recorded && !captured)
        status = device_check(device, driver()->stream_wait_event(stream, solver->done, 0),
                              "waiting for the call before");
    return status;
}

enum status api_solver_mark(struct api_solver *solver)
{
    solver->recorded = true;
    return device_check(solver->handle.library->device,
                        driver()->event_record(solver->done, solver->handle.stream), "recording an event");
}

void api_solver_change_stream(struct api_solver *solver)
{
    solver->has_stream = false;
}

void api_solver_destroy(struct api_solver *solver, bool usable)
{
    if (usable && solver->recorded)
        driver()->event_synchronise(solver->done);
    if (usable && solver->handle.library) {
        set_stream(solver, NULL); /* its own may be gone */
        solver_handle_destroy(&solver->handle);
    }
    if (usable && solver->done)
        driver()->event_destroy(solver->done);
    memset(solver, 0, sizeof *solver);
}

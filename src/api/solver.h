/* solver.h - the cuSOLVER and cuBLAS of one handle of the native API, opened by its first eigenproblem.
 *
 * The two have memory of their own on the device. So calls on different streams follow each other: each waits
 * for an event behind the last. Functions run in the handle's context. One thread at a time. */
#ifndef MUBLAS_API_SOLVER_H
#define MUBLAS_API_SOLVER_H

#include "gpu/vendor/solver_library.h"

struct api_solver {
    struct solver_handle handle; /* all zero: none yet */
    CUevent done;
    bool recorded;   /* `done` marks the latest call */
    bool has_stream; /* its stream is the mublas handle's */
};

/* Makes it ready for a call on the stream, which may be under capture: then it must be there already.
 * STATUS_UNSUPPORTED: there is no cuSOLVER that can be used. */
enum status api_solver_prepare(struct api_solver *solver, struct device *device, CUstream stream,
                               bool captured);

/* After what was queued on the stream outside a capture. */
enum status api_solver_mark(struct api_solver *solver);

/* The stream changes, or may be a new one at the same address. */
void api_solver_change_stream(struct api_solver *solver);

/* Waits for the last call, and frees all. `usable`: false when the context is gone. */
void api_solver_destroy(struct api_solver *solver, bool usable);

#endif

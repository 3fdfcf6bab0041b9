/* handle.h - what a handle of the native API holds, and how its functions begin and end.
 *
 *     struct context_scope scope;
 *     enum mublas_status status = handle_enter(handle, "mublas_function", &scope);
 *     if (status == MUBLAS_SUCCESS)
 *         status = handle_leave(handle, &scope, DRIVER CALLS, "doing this");
 */
#ifndef MUBLAS_HANDLE_H
#define MUBLAS_HANDLE_H

#include "api/context.h"
#include "api/workspace.h"
#include "gpu/launch_shape.h"
#include "gpu/vendor/solver_library.h"
#include "mublas.h"

#include <stdbool.h>

/* The cuSOLVER and cuBLAS of one handle of the native API, opened by its first eigenproblem.
 *
 * The two have memory of their own on the device. So calls on different streams follow each other: each waits
 * for an event behind the last. Functions run in the handle's context. One thread at a time. */
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

struct mublas_handle {
    unsigned long long magic; /* the same value in every live handle */
    struct context *context;
    bool retained; /* this handle retains the primary context */
    bool lost;
    CUstream stream;
    enum mublas_pointer_mode pointer_mode;
    struct workspace_pool workspaces;
    struct api_solver solver;
    struct launch_shape shape; /* for all calls; edge 0: each call chooses its own */
    struct { /* the latest launch; threads 0: there was none */
        enum kernel kernel;
        struct launch_shape shape;
        int64_t items;
        unsigned blocks, threads, blocks_per_multiprocessor;
        size_t shared_bytes;
    } latest;
    const char *function; /* the last that was called */
    char error[256];
};

/* Checks the handle and notes the function. Returns the status of a bad handle. */
enum mublas_status handle_begin(struct mublas_handle *handle, const char *function);
/* The same, and makes its context current. */
enum mublas_status handle_enter(struct mublas_handle *handle, const char *function, struct context_scope *scope);
/* Leaves the context. Returns the status of the driver's result; for an error the message says what was being
 * done. */
enum mublas_status handle_leave(struct mublas_handle *handle, const struct context_scope *scope, CUresult result,
                                const char *what);

/* Notes "FUNCTION: message" as the handle's last error. Returns `status`. */
enum mublas_status handle_fail(struct mublas_handle *handle, enum mublas_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

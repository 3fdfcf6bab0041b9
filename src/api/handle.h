/* handle.h - what a handle of the native API holds, and how its functions begin and end.
 *
 *     struct context_scope scope;
 *     enum mublas_status status = handle_enter(handle, "mublas_function", &scope);
 *     if (status == MUBLAS_SUCCESS)
 *         status = handle_leave(handle, &scope, DRIVER CALLS, "doing this");
 */
#ifndef MUBLAS_API_HANDLE_H
#define MUBLAS_API_HANDLE_H

#include "api/context.h"
#include "api/solver.h"
#include "api/workspace.h"
#include "gpu/launch_shape.h"
#include "mublas.h"

#include <stdbool.h>

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

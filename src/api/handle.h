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
#include "api/workspace.h"
#include "gpu/launch_shape.h"
#include "mublas.h"

#include <stdbool.h>

struct mublas_handle {
    unsigned long long magic; /* HANDLE_MAGIC while it lives */
    struct context *context;
    bool retained; /* the primary context, by this handle */
    bool lost;
    CUstream stream;
    enum mublas_pointer_mode pointer_mode;
    struct workspace_pool workspaces;
    struct launch_shape shape; /* of all calls; edge 0: chosen for each */
    struct { /* the latest launch; threads 0: none yet */
        enum kernel kernel;
        struct launch_shape shape;
        int64_t items;
        unsigned blocks, threads, blocks_per_multiprocessor;
        size_t shared_bytes;
    } latest;
    const char *function; /* that was called last */
    char error[256];
};

/* Check the handle and note which function this is; on an error of the handle its status. */
enum mublas_status handle_begin(struct mublas_handle *handle, const char *function);
/* The same, and make its context current. */
enum mublas_status handle_enter(struct mublas_handle *handle, const char *function, struct context_scope *scope);
/* Leave the context; the status of the driver's result, with a message that says what was
 * being done where it is an error. */
enum mublas_status handle_leave(struct mublas_handle *handle, const struct context_scope *scope, CUresult result,
                                const char *what);

/* Note "FUNCTION: message" as the handle's last error; gives `status`. */
enum mublas_status handle_fail(struct mublas_handle *handle, enum mublas_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

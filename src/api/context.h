/* context.h - CUDA contexts that handles are bound to, each with its kernels.
 *
 * Kernels are loaded once per context and stay as long as it lives: graphs and other handles
 * use them too. Functions give the driver's own result and log nothing. Thread-safe. */
#ifndef MUBLAS_API_CONTEXT_H
#define MUBLAS_API_CONTEXT_H

#include "gpu/driver.h"
#include "gpu/kernel_set.h"

#include <stdbool.h>

struct context {
    CUcontext handle;
    unsigned long long id; /* unlike the handle never used again */
    CUdevice device;
    struct kernel_set kernels;
    struct context *next;
};

/* The record of the current context, made and its kernels loaded at the first request. It is
 * never freed. */
CUresult context_find(struct context **context);

/* Bracket driver calls: what was current before is current again after context_leave, which
 * must follow after CUDA_SUCCESS only. CUDA_ERROR_CONTEXT_IS_DESTROYED when the
 * program destroyed or reset the context. */
struct context_scope {
    bool pushed;
};
CUresult context_enter(const struct context *context, struct context_scope *scope);
void context_leave(const struct context_scope *scope);

/* Bracket allocations and waits: allowed also while some stream is captured. */
int capture_relax(void);
void capture_restore(int mode);

#endif

/* context.h - the CUDA contexts of handles, each with its kernels.
 *
 * Kernels are loaded once per context and stay as long as it lives: graphs and other handles use them too.
 * Functions return the driver's result and log nothing. Thread-safe. */
#ifndef MUBLAS_API_CONTEXT_H
#define MUBLAS_API_CONTEXT_H

#include "gpu/device.h"

#include <stdbool.h>

struct context {
    CUcontext handle;
    unsigned long long id; /* unlike the handle never used again */
    CUdevice device;
    struct device *own; /* what stands for it below, with the kernels */
    struct context *next;
};

/* The record of the current context. The first request makes it and loads its kernels; it is never freed. */
CUresult context_find(struct context **context);

/* Bracket driver calls: context_leave, which must follow after CUDA_SUCCESS only, restores what was current.
 * CUDA_ERROR_CONTEXT_IS_DESTROYED: the program has destroyed or reset the context. */
struct context_scope {
    bool pushed;
};
CUresult context_enter(const struct context *context, struct context_scope *scope);
void context_leave(const struct context_scope *scope);

/* Bracket allocations and waits, so that they are allowed while a stream is captured. */
int capture_relax(void);
void capture_restore(int mode);

#endif

/* context.h - the program's CUDA contexts, captures and graphs, as far as handles depend on them.
 *
 * Kernels are loaded once per context and stay as long as it lives: graphs and other handles use them too.
 * Functions on contexts return the driver's result and log nothing. Thread-safe. */
#ifndef MUBLAS_CONTEXT_H
#define MUBLAS_CONTEXT_H

#include "gpu/device.h"
#include "gpu/driver.h"

#include <stdbool.h>

/* Tells when a captured graph no longer needs the memory of its kernels.
 *
 * The graph owns a CUDA user object. CUDA's rules (Programming Guide, "CUDA User Objects"): clones, child
 * graphs and executables made of the graph have references of their own; an executable that is destroyed or
 * updated while it runs keeps its reference until its launches have completed. CUDA calls the destructor
 * after the last reference, at once or later, on any thread, where the destructor must not call CUDA: it
 * writes one word of host memory. (An H100's driver 580 calls it on the thread that destroys the graph.) */
struct graph_hold;

/* Begins to hold for a graph that is being captured or edited; nothing else may use the graph meanwhile.
 * NULL: the driver cannot, or memory is short, and the end of the graph stays unknown. */
struct graph_hold *graph_hold_begin(CUgraph graph);

/* True once neither the graph nor anything made of it exists or runs: later launches see what its kernels
 * wrote. Any thread. */
bool graph_hold_is_over(const struct graph_hold *hold);

/* Ends the caller's interest, whether the graph is gone or not. Calls no CUDA; accepts NULL. */
void graph_hold_forget(struct graph_hold *hold);

/* A context of handles, with its kernels. */
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

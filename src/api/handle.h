/* handle.h - what a handle of the native API holds, and how its functions begin and end; its workspaces;
 * and the program's CUDA contexts, captures and graphs, as far as handles depend on them.
 *
 *     struct context_scope scope;
 *     enum mublas_status status = handle_enter(handle, "mublas_function", &scope);
 *     if (status == MUBLAS_SUCCESS)
 *         status = handle_leave(handle, &scope, DRIVER CALLS, "doing this");
 *
 * Contexts: kernels are loaded once per context and stay as long as it lives: graphs and other handles use
 * them too. Functions on contexts return the driver's result and log nothing. Thread-safe.
 *
 * Workspaces of one handle: node partials and ticket counters, one pair for each stream that calls are made
 * on, and for each capture. Launches that may run at once never share a workspace. A stream's workspace
 * serves one launch after another, in stream order. mublas uses the program's streams only during calls on
 * them, since the program may destroy a stream at any time after. So once the handle's stream has been
 * changed, mublas records an event after each launch, and later users of the workspace (another stream, or
 * a new one at the address of an old one) wait for it. A graph keeps its workspace until the graph, its
 * clones and executables are gone and their launches have completed (graph_hold_is_over); then a later
 * capture may get it, with counters cleared anew. If the driver does not tell, the workspace stays with the
 * graph. The pool frees all memory; the program destroys it after the last replay, and may destroy graphs
 * later. Functions on workspaces run in the handle's context and return the driver's result. One thread at
 * a time. */
#ifndef MUBLAS_HANDLE_H
#define MUBLAS_HANDLE_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "gpu/driver.h"
#include "gpu/launch.h"
#include "gpu/vendor/solver_library.h"
#include "mublas.h"

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

enum { WORKSPACES_MAX = 16 }; /* for streams; with more, streams share busy ones by waiting */

struct workspace {
    struct workspace *next;
    CUstream stream;
    unsigned long long capture; /* the capture that it serves or served last; 0: plain launches */
    struct graph_hold *hold;    /* for the captured graph; NULL: the end of the graph stays unknown */
    CUdeviceptr partials, counters;
    size_t partials_bytes, counters_bytes;
    CUevent done;
    bool launched;   /* since `done` was recorded */
    bool recorded;   /* `done` marks the latest launch */
    bool doubtful;   /* a launch failed: the counters may not be zero */
    unsigned long long last_use;
};

struct workspace_pool {
    struct workspace *first;
    struct workspace *current; /* serves plain launches on the handle's stream; may be NULL */
    struct retired *retired;   /* memory that queued launches or graphs may still use */
    CUstream own_stream;       /* made when first needed */
    bool stream_changes;       /* the stream has changed while launches were in flight */
    unsigned long long uses;
};

/* Makes the target ready for a launch on its stream that needs this much: fills in its workspace and
 * counters. Pass *workspace to workspace_launched. */
CUresult workspace_acquire(struct workspace_pool *pool, const struct launch_plan *plan, struct launch_target *target,
                           struct workspace **workspace);
/* Call it after the launch, or after its failure. */
CUresult workspace_launched(struct workspace_pool *pool, struct workspace *workspace, CUresult launched);

/* True when the graph that it served no longer needs it. */
static inline bool workspace_is_released(const struct workspace *workspace)
{
    return workspace->hold && graph_hold_is_over(workspace->hold);
}

/* Tells that the next launch is on another stream, or on a new one at the same address. */
void workspace_change_stream(struct workspace_pool *pool);

/* Frees all, and waits for launches in flight. `usable`: false when the context is gone. */
void workspace_destroy(struct workspace_pool *pool, bool usable);

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

/* One call of the native API for an eigenproblem or a step to singular values, its routine and type
 * erased: its check, its workspace and its way into the queue. */

enum eigen_routine {
    EIGEN_SYTRD,
    EIGEN_ORMTR,
    EIGEN_STEDC,
    EIGEN_SYEVD,
    EIGEN_SYEVDX,
    EIGEN_GEBRD,
    EIGEN_ORMBR,
    EIGEN_GESDD
};

/* The arguments as given; those that the routine does not have are 0. */
struct eigen_call {
    const char *function; /* "mublas_dsytrd" */
    enum eigen_routine routine;
    enum mublas_type type;
    enum mublas_side side;
    enum mublas_uplo uplo;
    enum mublas_trans trans;
    enum mublas_vectors vectors;
    enum mublas_range range;
    enum mublas_compz compz;
    enum mublas_vect vect;
    int64_t m, n, k, lda, ldc, ldv; /* ldc: ormtr's C, stedc's Z and gesdd's U */
    double vl, vu;
    int64_t il, iu;
    void *a, *c, *d, *e, *tau, *taup, *v; /* c: stedc's Z and gesdd's U, too; d: eigenvalues and singular values, too;
                                             tau: gebrd's tauq */
    int *found, *info;
};

/* The number of bytes of workspace, for a call without pointers. */
enum mublas_status eigen_call_ask(struct mublas_handle *handle, const struct eigen_call *call, size_t *bytes);

/* Checks the call and queues it. */
enum mublas_status eigen_call_run(struct mublas_handle *handle, const struct eigen_call *call,
                                  void *workspace, size_t bytes);

/* For the exported routines: eigen_call_run and eigen_call_ask by the members that the routine has, and a routine of
 * every type, as ROUTINE(name, type, element, real part). */
#define EIGEN_RUN(of_routine, of_type, ...)                                                                  \
    eigen_call_run(handle,                                                                                   \
                   &(struct eigen_call){                                                                     \
                       .function = __func__, .routine = of_routine, .type = of_type, __VA_ARGS__},           \
                   workspace, workspace_bytes)
#define EIGEN_ASK(of_routine, ...)                                                                           \
    eigen_call_ask(handle,                                                                                   \
                   &(struct eigen_call){                                                                     \
                       .function = __func__, .routine = of_routine, .type = type, __VA_ARGS__},              \
                   bytes)
#define EIGEN_OF_EVERY_TYPE(ROUTINE, real_name, complex_name)                                                \
    ROUTINE(s##real_name, MUBLAS_SINGLE, float, float)                                                       \
    ROUTINE(d##real_name, MUBLAS_DOUBLE, double, double)                                                     \
    ROUTINE(c##complex_name, MUBLAS_COMPLEX, void, float)                                                    \
    ROUTINE(z##complex_name, MUBLAS_DOUBLE_COMPLEX, void, double)

/* For those that check and run it: */

static inline enum blas_type eigen_call_type(const struct eigen_call *call)
{
    return call->type == MUBLAS_SINGLE    ? TYPE_S
           : call->type == MUBLAS_DOUBLE  ? TYPE_D
           : call->type == MUBLAS_COMPLEX ? TYPE_C
                                          : TYPE_Z;
}

static inline bool eigen_call_has_c(const struct eigen_call *call)
{
    return call->routine == EIGEN_ORMTR || call->routine == EIGEN_ORMBR;
}

/* The order of Q (or P), or of the matrix. */
static inline int64_t eigen_call_order(const struct eigen_call *call)
{
    return eigen_call_has_c(call) && call->side == MUBLAS_LEFT ? call->m : call->n;
}

/* How the routines do it, in the handle's context (eigen_methods.c). Orders are 1 or more.
 * STATUS_UNSUPPORTED: the device cannot do it, or the order is vast. */
struct eigen_method {
    enum status (*plan)(const struct solver_handle *solver, const struct eigen_call *call, size_t *bytes);
    enum status (*queue)(const struct solver_handle *solver, const struct eigen_call *call,
                         CUdeviceptr workspace, size_t bytes);
};
extern const struct eigen_method eigen_sytrd, eigen_ormtr, eigen_stedc, eigen_values;
extern const struct eigen_method eigen_gebrd, eigen_ormbr, eigen_gesdd; /* lapack_routines.c */

static inline CUdeviceptr eigen_address(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

#endif

/* eigen_call.h - one call of the native API for an eigenproblem or a step to singular values, its routine and type
 * erased: its check, its workspace and its way into the queue. */
#ifndef MUBLAS_EIGEN_CALL_H
#define MUBLAS_EIGEN_CALL_H

#include "api/handle.h"
#include "common/blas_call.h"

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
extern const struct eigen_method eigen_gebrd, eigen_ormbr, eigen_gesdd; /* singular_routines.c */

static inline CUdeviceptr eigen_address(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

#endif

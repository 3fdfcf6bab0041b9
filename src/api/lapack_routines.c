/* The exported routines for steps to singular values, each a struct eigen_call, and how they are done. */
#include "api/handle.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/device_matrix.h"
#include "lapack/singular/own_singular.h"

/* The exported routines for eigenproblems, each a struct eigen_call. */

#define SYTRD(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n,         \
                                     element *a, int64_t lda, real *d, real *e, element *tau,                \
                                     void *workspace, size_t workspace_bytes)                                \
    {                                                                                                        \
        return EIGEN_RUN(EIGEN_SYTRD, the_type,                                                              \
                         .uplo = uplo, .n = n, .a = a, .lda = lda, .d = d, .e = e, .tau = tau);              \
    }

#define ORMTR(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_side side,                    \
                                     enum mublas_uplo uplo, enum mublas_trans trans, int64_t m, int64_t n,   \
                                     const element *a, int64_t lda, const element *tau, element *c,          \
                                     int64_t ldc, void *workspace, size_t workspace_bytes)                   \
    {                                                                                                        \
        return EIGEN_RUN(EIGEN_ORMTR, the_type,                                                              \
                         .side = side, .uplo = uplo, .trans = trans, .m = m, .n = n,                         \
                         .a = (void *)(uintptr_t)a, .lda = lda, .tau = (void *)(uintptr_t)tau,               \
                         .c = c, .ldc = ldc);                                                                \
    }

#define STEDC(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_compz compz, int64_t n,       \
                                     real *d, const real *e, element *z, int64_t ldz, void *workspace,       \
                                     size_t workspace_bytes, int *info)                                      \
    {                                                                                                        \
        return EIGEN_RUN(EIGEN_STEDC, the_type,                                                              \
                         .compz = compz, .n = n, .d = d, .e = (void *)(uintptr_t)e, .c = z,                  \
                         .ldc = ldz, .info = info);                                                          \
    }

#define SYEVD(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_vectors vectors,              \
                                     enum mublas_uplo uplo, int64_t n, element *a, int64_t lda, real *w,     \
                                     void *workspace, size_t workspace_bytes, int *info)                     \
    {                                                                                                        \
        return EIGEN_RUN(EIGEN_SYEVD, the_type,                                                              \
                         .vectors = vectors, .uplo = uplo, .n = n, .a = a, .lda = lda, .d = w,               \
                         .info = info);                                                                      \
    }

#define SYEVDX(name, the_type, element, real)                                                                \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_vectors vectors,              \
                                     enum mublas_range range, enum mublas_uplo uplo, int64_t n, element *a,  \
                                     int64_t lda, real vl, real vu, int64_t il, int64_t iu, int *m, real *w, \
                                     void *workspace, size_t workspace_bytes, int *info)                     \
    {                                                                                                        \
        return EIGEN_RUN(EIGEN_SYEVDX, the_type,                                                             \
                         .vectors = vectors, .range = range, .uplo = uplo, .n = n, .a = a,                   \
                         .lda = lda, .vl = (double)vl, .vu = (double)vu, .il = il, .iu = iu,                 \
                         .found = m, .d = w, .info = info);                                                  \
    }

EIGEN_OF_EVERY_TYPE(SYTRD, sytrd, hetrd)
EIGEN_OF_EVERY_TYPE(ORMTR, ormtr, unmtr)
EIGEN_OF_EVERY_TYPE(STEDC, stedc, stedc)
EIGEN_OF_EVERY_TYPE(SYEVD, syevd, heevd)
EIGEN_OF_EVERY_TYPE(SYEVDX, syevdx, heevdx)

enum mublas_status mublas_sytrd_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_uplo uplo, int64_t n, int64_t lda, size_t *bytes)
{
    return EIGEN_ASK(EIGEN_SYTRD, .uplo = uplo, .n = n, .lda = lda);
}

enum mublas_status mublas_ormtr_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_side side, enum mublas_uplo uplo,
                                          enum mublas_trans trans, int64_t m, int64_t n, int64_t lda,
                                          int64_t ldc, size_t *bytes)
{
    return EIGEN_ASK(EIGEN_ORMTR,
                     .side = side, .uplo = uplo, .trans = trans, .m = m, .n = n, .lda = lda, .ldc = ldc);
}

enum mublas_status mublas_stedc_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_compz compz, int64_t n, int64_t ldz, size_t *bytes)
{
    return EIGEN_ASK(EIGEN_STEDC, .compz = compz, .n = n, .ldc = ldz);
}

enum mublas_status mublas_syevd_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_vectors vectors, enum mublas_uplo uplo, int64_t n,
                                          int64_t lda, size_t *bytes)
{
    return EIGEN_ASK(EIGEN_SYEVD, .vectors = vectors, .uplo = uplo, .n = n, .lda = lda);
}

enum mublas_status mublas_syevdx_workspace(struct mublas_handle *handle, enum mublas_type type,
                                           enum mublas_vectors vectors, enum mublas_range range,
                                           enum mublas_uplo uplo, int64_t n, int64_t lda, int64_t il,
                                           int64_t iu, size_t *bytes)
{
    return EIGEN_ASK(EIGEN_SYEVDX,
                     .vectors = vectors, .range = range, .uplo = uplo, .n = n, .lda = lda, .il = il,
                     .iu = iu);
}

/* gebrd. */
static struct bidiagonalisation reduction_of(const struct eigen_call *call)
{
    return (struct bidiagonalisation){.type = eigen_call_type(call),
                                      .m = call->m,
                                      .n = call->n,
                                      .a = eigen_address(call->a),
                                      .lda = call->lda,
                                      .d = eigen_address(call->d),
                                      .e = eigen_address(call->e),
                                      .tauq = eigen_address(call->tau),
                                      .taup = eigen_address(call->taup)};
}

static enum status plan_reduction(const struct solver_handle *solver, const struct eigen_call *call,
                                  size_t *bytes)
{
    const struct bidiagonalisation reduction = reduction_of(call);
    const enum status status = bidiagonalisation_workspace(solver, &reduction, bytes);
    *bytes += PART_SCALE_BYTES;
    return status;
}

/* The matrix is scaled (lapack/device_matrix.h), and B, which stands in A too, is scaled back. */
static enum status queue_reduction(const struct solver_handle *solver, const struct eigen_call *call,
                                   CUdeviceptr workspace, size_t bytes)
{
    const struct bidiagonalisation reduction = reduction_of(call);
    struct device *const device = solver->library->device;
    const enum blas_type type = reduction.type;
    const int64_t k = call->m < call->n ? call->m : call->n, step = (call->lda + 1) * blas_scalar_parts(type),
                  behind = call->m < call->n ? 1 : call->lda;
    const struct device_part a = {reduction.a, call->lda, call->m, call->n, PART_FULL};
    const struct device_vector results[] = {
        {reduction.d, k, 1},
        {reduction.e, k - 1, 1},
        {reduction.a, k, step},
        {reduction.a + (size_t)behind * blas_element_bytes(type), k - 1, step}};
    enum status status = matrix_part_scale(device, solver->stream, &a, type, workspace);
    if (status == STATUS_OK)
        status = bidiagonalisation_queue(solver, &reduction, workspace + PART_SCALE_BYTES,
                                         bytes - PART_SCALE_BYTES);
    return status == STATUS_OK
               ? matrix_part_scale_back(device, solver->stream, results, 4, type, workspace, 0)
               : status;
}

const struct eigen_method eigen_gebrd = {plan_reduction, queue_reduction};

/* gesdd. In front of the solver's own workspace are the scale and its two INFOs. */
enum { INFO_AT = PART_SCALE_BYTES, SOLVER_AT = INFO_AT + DEVICE_ALIGNMENT };

static struct own_singular singular_of(const struct eigen_call *call, CUdeviceptr workspace)
{
    const bool vectors = call->vectors == MUBLAS_VECTORS;
    const int64_t k = call->m < call->n ? call->m : call->n;
    return (struct own_singular){.type = eigen_call_type(call),
                                 .m = call->m,
                                 .n = call->n,
                                 .a = eigen_address(call->a),
                                 .lda = call->lda,
                                 .s = eigen_address(call->d),
                                 .u = {vectors ? eigen_address(call->c) : 0, call->ldc},
                                 .v = {vectors ? eigen_address(call->v) : 0, call->ldv},
                                 .u_columns = k,
                                 .v_columns = k,
                                 .without_qr = true,
                                 .info = workspace + INFO_AT};
}

/* Any address that is not 0 stands for vectors that are wanted. Without QR there is no workspace on the host, and
 * a stream that is captured takes it all. */
static enum status plan_singular(const struct solver_handle *solver, const struct eigen_call *call,
                                 size_t *bytes)
{
    struct own_singular work = singular_of(call, 0);
    size_t host_bytes;
    work.u.address = work.v.address = call->vectors == MUBLAS_VECTORS;
    const enum status status = own_singular_workspace(solver, &work, bytes, &host_bytes);
    *bytes += SOLVER_AT;
    return status;
}

/* The matrix is scaled, and its values are scaled back. */
static enum status queue_singular(const struct solver_handle *solver, const struct eigen_call *call,
                                  CUdeviceptr workspace, size_t bytes)
{
    const struct own_singular work = singular_of(call, workspace);
    struct device *const device = solver->library->device;
    const int64_t k = call->m < call->n ? call->m : call->n;
    const struct device_part a = {work.a, call->lda, call->m, call->n, PART_FULL};
    const struct device_vector values = {work.s, k, 1};
    const CUDA_MEMCPY2D info = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = work.info,
                                .srcPitch = sizeof(int), .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = eigen_address(call->info), .dstPitch = sizeof(int),
                                .WidthInBytes = sizeof(int), .Height = 1};
    enum status status = matrix_part_scale(device, solver->stream, &a, work.type, workspace);
    if (status == STATUS_OK)
        status = own_singular_run(solver, &work, workspace + SOLVER_AT, bytes - SOLVER_AT, NULL, 0);
    if (status == STATUS_OK)
        status = device_check(device, driver()->copy_2d_async(&info, solver->stream), "setting INFO");
    return status == STATUS_OK ? matrix_part_scale_back(device, solver->stream, &values, 1, work.type, workspace,
                                                        eigen_address(call->info))
                               : status;
}

const struct eigen_method eigen_gesdd = {plan_singular, queue_singular};

#define GEBRD(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, int64_t m, int64_t n, element *a,         \
                                     int64_t lda, real *d, real *e, element *tauq, element *taup,            \
                                     void *workspace, size_t workspace_bytes)                                \
    {                                                                                                        \
        return EIGEN_RUN(EIGEN_GEBRD, the_type,                                                              \
                         .m = m, .n = n, .a = a, .lda = lda, .d = d, .e = e, .tau = tauq,                    \
                         .taup = taup);                                                                      \
    }

#define ORMBR(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_vect vect,                    \
                                     enum mublas_side side, enum mublas_trans trans, int64_t m, int64_t n,   \
                                     int64_t k, const element *a, int64_t lda, const element *tau,           \
                                     element *c, int64_t ldc, void *workspace, size_t workspace_bytes)       \
    {                                                                                                        \
        return EIGEN_RUN(EIGEN_ORMBR, the_type,                                                              \
                         .vect = vect, .side = side, .trans = trans, .m = m, .n = n, .k = k,                 \
                         .a = (void *)(uintptr_t)a, .lda = lda, .tau = (void *)(uintptr_t)tau,               \
                         .c = c, .ldc = ldc);                                                                \
    }

#define GESDD(name, the_type, element, real)                                                                 \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_vectors vectors, int64_t m,   \
                                     int64_t n, element *a, int64_t lda, real *s, element *u, int64_t ldu,   \
                                     element *v, int64_t ldv, void *workspace, size_t workspace_bytes,       \
                                     int *info)                                                              \
    {                                                                                                        \
        return EIGEN_RUN(EIGEN_GESDD, the_type,                                                              \
                         .vectors = vectors, .m = m, .n = n, .a = a, .lda = lda, .d = s, .c = u,             \
                         .ldc = ldu, .v = v, .ldv = ldv, .info = info);                                      \
    }

EIGEN_OF_EVERY_TYPE(GESDD, gesdd, gesdd)
EIGEN_OF_EVERY_TYPE(GEBRD, gebrd, gebrd)
EIGEN_OF_EVERY_TYPE(ORMBR, ormbr, unmbr)

enum mublas_status mublas_gebrd_workspace(struct mublas_handle *handle, enum mublas_type type, int64_t m,
                                          int64_t n, int64_t lda, size_t *bytes)
{
    return EIGEN_ASK(EIGEN_GEBRD, .m = m, .n = n, .lda = lda);
}

enum mublas_status mublas_ormbr_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_vect vect, enum mublas_side side,
                                          enum mublas_trans trans, int64_t m, int64_t n, int64_t k,
                                          int64_t lda, int64_t ldc, size_t *bytes)
{
    return EIGEN_ASK(EIGEN_ORMBR,
                     .vect = vect, .side = side, .trans = trans, .m = m, .n = n, .k = k, .lda = lda,
                     .ldc = ldc);
}

enum mublas_status mublas_gesdd_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_vectors vectors, int64_t m, int64_t n, int64_t lda,
                                          int64_t ldu, int64_t ldv, size_t *bytes)
{
    return EIGEN_ASK(EIGEN_GESDD, .vectors = vectors, .m = m, .n = n, .lda = lda, .ldc = ldu, .ldv = ldv);
}

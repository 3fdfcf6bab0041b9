/* tridiagonal_solver.h - eigenvalues and eigenvectors of a real symmetric tridiagonal matrix T on the
 * device, and LAPACK's RANGE of them.
 *
 * Divide and conquer is Cuppen's as LAPACK's dstedc: T = Q diag(w) Q'. Everything is queued on the handle's
 * stream; nothing is waited for, and what is queued depends on n and the range alone. Bits depend on the
 * operands and, from orders of some hundreds on, on cuBLAS. Bisection computes all eigenvalues as LAPACK's
 * stebz does: to about an ulp of the largest, in a fixed number of steps; bits depend on the operands
 * alone. A vector_range, once all eigenvalues are known, says which are wanted, and brings them and their
 * vectors to the front (gpu/kernels/vector_range.cu). */
#ifndef MUBLAS_TRIDIAGONAL_SOLVER_H
#define MUBLAS_TRIDIAGONAL_SOLVER_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "gpu/vendor/solver_library.h"

struct divide_conquer_call {
    enum blas_type type; /* TYPE_S or TYPE_D */
    int64_t n;
    CUdeviceptr d; /* n: the diagonal; w, ascending, in the end */
    CUdeviceptr e; /* n - 1: beside the diagonal; stays */
    CUdeviceptr q; /* n rows, `vectors` columns: those of Q from first_vector on, which are all that is
                      computed of it */
    int64_t ldq;
    int64_t first_vector, vectors;
    CUdeviceptr info; /* int: 0, or 1: something did not converge, and w and Q are of no use */
};

/* Bytes of device memory: some 1.75 n^2 numbers, fewer with fewer vectors. */
size_t divide_conquer_workspace(const struct divide_conquer_call *call);

/* Inside device_enter. `workspace` is at a multiple of 256. A failure is logged; then what was queued may
 * still run. */
enum status divide_conquer_queue(const struct solver_handle *handle, const struct divide_conquer_call *call,
                                 CUdeviceptr workspace);

struct bisection {
    enum blas_type type; /* TYPE_S or TYPE_D */
    int64_t n;           /* 1 or more */
    CUdeviceptr d, e;    /* n and n - 1 */
    CUdeviceptr w;       /* n: ascending; may be d */
};

size_t bisection_workspace(const struct bisection *work);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. All values
 * are NaN where one of d or e is not finite. Inside device_enter. */
enum status bisection_queue(const struct solver_handle *handle, const struct bisection *work,
                            CUdeviceptr workspace);

struct vector_range {
    enum blas_type type;
    int64_t n;
    CUdeviceptr values; /* n real numbers, ascending */
    bool is_interval;
    double above, up_to;  /* of an interval: above < w <= up_to */
    int64_t first, count; /* otherwise: so many values from this one on, counted from 0 */
    bool has_vectors;
    CUdeviceptr vectors; /* n rows; column i belongs to value i */
    int64_t ld;
    CUdeviceptr m; /* int: how many there are */
};

enum { VECTOR_RANGE_BYTES = 256 };

/* Queues that M is set and that values, and columns of vectors, from the first wanted on move to the front.
 * The memory behind them holds nothing of use afterwards. `workspace`: VECTOR_RANGE_BYTES. */
enum status vector_range_queue(struct device *device, CUstream stream, const struct vector_range *range,
                               CUdeviceptr workspace);

#endif

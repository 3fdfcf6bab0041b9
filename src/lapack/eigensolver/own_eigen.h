/* own_eigen.h - the symmetric and Hermitian eigensolver of mublas' own kernels: reduction to tridiagonal form
 * (tridiagonalisation.c), divide and conquer (tridiagonal_solver.c), and back (back_transformation.c). A
 * large real matrix is reduced in two stages (two_stage.h), the earlier the fewer vectors are wanted. A
 * generalised problem becomes a standard one by cuSOLVER's potrf and cuBLAS. Only the vectors that are wanted
 * are computed. */
#ifndef MUBLAS_LAPACK_OWN_EIGEN_H
#define MUBLAS_LAPACK_OWN_EIGEN_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/device_matrix.h"
#include "lapack/families.h"

/* Mublas' own reduction of a symmetric or Hermitian matrix to tridiagonal form on
 * the device: Q' A Q = T, as LAPACK's sytrd and hetrd leave it (doc/eigensolver.md).
 *
 * While the matrix is large it is reduced by panels, each one kernel that reads the rest of the matrix once
 * a column (kernels/tridiagonal/tridiagonal_panel.cu), with an update of the rest by cuBLAS behind it; what
 * fits into the multiprocessors' shared memory is finished there (tridiagonal_chip.cu). A chip_plan says
 * how: by a cluster of a few blocks, which exchange through each other's shared memory, or by a block on
 * each multiprocessor, which exchange through the device's. The bits of both are the same; they depend on
 * the operand, and on cuBLAS. */

/* A launch in blocks of TRIDIAGONAL_THREADS threads. */
struct chip_plan {
    enum kernel kernel;
    unsigned blocks;
    size_t shared_bytes; /* of each */
    bool is_cluster;
};

/* The largest order whose rows, dealt to all multiprocessors, fit into their shared memory. */
int64_t chip_order_most(struct device *device, enum blas_type type);

/* Plans for a cluster. STATUS_UNSUPPORTED: the order is too large, the device has none of that size, or it is
 * not to get kernels any more whose blocks wait for each other (cooperative.h). Inside device_enter. */
enum status chip_plan_cluster(struct device *device, enum blas_type type, int64_t order,
                              struct chip_plan *plan);

/* Up to which order clusters of so many blocks, 16 or 8, are faster than all multiprocessors: as built in. */
int64_t chip_cluster_to(enum blas_type type, unsigned blocks);

struct tridiagonalisation {
    enum blas_type type; /* S, D, C or Z */
    enum blas_uplo uplo;
    int64_t n;           /* 1 or more */
    CUdeviceptr a;       /* the triangle is read; T's elements and the reflectors' vectors come into it */
    int64_t lda;
    CUdeviceptr d, e, tau; /* n and n - 1 real numbers, n - 1 elements */
    int64_t cluster_to;    /* up to this order by a cluster alone, if one holds it; 0: as built in */
};

/* Bytes of workspace for it. STATUS_UNSUPPORTED: the device has too little shared memory, or no cooperative
 * launches, which a cluster does not need. */
enum status tridiagonalisation_workspace(const struct solver_handle *handle,
                                         const struct tridiagonalisation *work, size_t *bytes);

/* Queue it on the handle's stream. Elements must be finite, of moduli that LAPACK's eigensolvers do not
 * scale. The workspace, aligned to 256 bytes, stays until the stream was waited for. STATUS_UNSUPPORTED: it
 * has become too small. Inside device_enter. */
enum status tridiagonalisation_queue(const struct solver_handle *handle,
                                     const struct tridiagonalisation *work, CUdeviceptr workspace,
                                     size_t bytes);

/* Eigenvalues and eigenvectors of a real symmetric tridiagonal matrix T on the
 * device, and LAPACK's RANGE of them.
 *
 * Divide and conquer is Cuppen's as LAPACK's dstedc: T = Q diag(w) Q'. Everything is queued on the handle's
 * stream; nothing is waited for, and what is queued depends on n and the range alone. Bits depend on the
 * operands and, from orders of some hundreds on, on cuBLAS. Bisection computes all eigenvalues as LAPACK's
 * stebz does: to about an ulp of the largest, in a fixed number of steps; bits depend on the operands
 * alone. A vector_range, once all eigenvalues are known, says which are wanted, and brings them and their
 * vectors to the front (gpu/kernels/vector_range.cu). */

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

/* Products with Q of a reduction to tridiagonal form, as LAPACK's ormtr and unmtr:
 * eigenvectors of the tridiagonal matrix become those of A; and the products of matrices and of block
 * reflectors that this and other steps are made of.
 *
 * Reflectors are taken together by BACK_WIDTH, so that nearly all of it is cuBLAS' products. A block
 * reflector is H = I - V T V'. Source: Schreiber and Van Loan, "A storage-efficient WY representation for
 * products of Householder transformations" (1989); LAPACK's larfb. Bits depend on the operands, and on
 * cuBLAS. Everything is called inside device_enter. */

/* A matrix on the device. */
struct factor {
    CUdeviceptr address;
    int64_t ld;
};

/* C = alpha op(A) op(B) + beta C, by cuBLAS; C has m rows and n columns. trans_a, trans_b: cuBLAS'; the
 * conjugate transpose of a real matrix is its transpose. */
struct device_product {
    int trans_a, trans_b;
    int64_t m, n, k;
    double alpha, beta;
    struct factor a, b, c;
    bool in_parts; /* long sums: they lose less to rounding, and take longer, by little for a small result */
};

/* Queue it on the handle's stream. */
enum status device_product_queue(const struct solver_handle *handle, enum blas_type type,
                                 const struct device_product *product);

/* Queue one after the other. */
enum status device_products_queue(const struct solver_handle *handle, enum blas_type type,
                                  const struct device_product *products, int count);

/* H = I - V T V'. */
struct block_reflector {
    enum blas_type type;
    int64_t rows, width; /* of V; width is 1 or more */
    struct factor v, t;  /* V whole, with its zeros and ones; T square, with its zeros */
};

/* C becomes H C, or C H; with `adjoint` by H' in the place of H. C has `others` columns, or rows, beside
 * those that meet H. */
struct block_reflector_side {
    bool right, adjoint;
    struct factor c;
    int64_t others;
};

size_t block_reflector_workspace(enum blas_type type, int64_t width, int64_t others);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. */
enum status block_reflector_queue(const struct solver_handle *handle, const struct block_reflector *reflector,
                                  const struct block_reflector_side *side, CUdeviceptr workspace);

/* Q = H(0) H(1) ... of `count` reflectors, whose vectors stand in a matrix's columns. In an upper triangle
 * reflector i ends with its one in row i of column i + 1, and Q begins with the last. */
struct reflectors_product {
    enum blas_type type; /* S, D, C or Z */
    bool is_upper;
    int64_t from;        /* else reflector i begins with its one in row i + from of column i, */
    bool by_rows;        /* or in that column of row i, conjugate */
    int64_t order;       /* of Q, 1 or more */
    int64_t count;
    CUdeviceptr a, tau;  /* they are read */
    int64_t lda;
    struct block_reflector_side side; /* of C, `order` rows or columns */
};

size_t reflectors_product_workspace(const struct reflectors_product *work);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. */
enum status reflectors_product_queue(const struct solver_handle *handle,
                                     const struct reflectors_product *work, CUdeviceptr workspace);

/* The Q of a reduction to tridiagonal form. */
struct back_transformation {
    enum blas_type type; /* S, D, C or Z */
    enum blas_uplo uplo;
    int64_t n;           /* the order of Q, 1 or more */
    CUdeviceptr a, tau;  /* as tridiagonalisation_queue leaves them; they are read */
    int64_t lda;
    struct block_reflector_side side; /* of C, n rows or columns */
};

size_t back_transformation_workspace(const struct back_transformation *work);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. */
enum status back_transformation_queue(const struct solver_handle *handle,
                                      const struct back_transformation *work, CUdeviceptr workspace);

/* Two stages are for real matrices; by the order, unless the caller knows better. */
enum own_eigen_way { OWN_EIGEN_BY_ORDER, OWN_EIGEN_ONE_STAGE, OWN_EIGEN_TWO_STAGES };

/* The work of device_matrix.h. All values are computed, but only `count` vectors from `first` on, which come
 * into A's columns of these numbers. INFO is an int for the eigensolver, and behind it one for B's
 * factor where there is a B. */
struct own_eigen {
    struct solver_eigen_call call;
    int64_t first, count; /* count: 0 without vectors */
    enum own_eigen_way way;
    struct two_stage_borders borders; /* for OWN_EIGEN_BY_ORDER; all 0: as built in */
    int64_t cluster_to;               /* of one stage (tridiagonalisation.c); 0: as built in */
    bool keeps_other_triangle; /* of A, without vectors; else two stages need less memory, and destroy it */
};

/* STATUS_UNSUPPORTED: the device is not able to do it, or ITYPE is 2 or 3: a product of A and B may be so small
 * that LAPACK would scale it. */
enum status own_eigen_workspace(const struct solver_handle *handle, const struct own_eigen *work,
                                size_t *device_bytes, size_t *host_bytes);

/* Queue it on the handle's stream. As solver_eigen_run. */
enum status own_eigen_run(const struct solver_handle *handle, const struct own_eigen *work,
                          CUdeviceptr workspace, size_t device_bytes, void *host_workspace,
                          size_t host_bytes);

#endif

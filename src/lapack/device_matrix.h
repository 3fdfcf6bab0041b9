/* device_matrix.h - steps of LAPACK routes on matrices on the device: on a part of one, by kernels of mublas
 * (gpu/kernels/part.cu); by cuBLAS and cuSOLVER, queued on a handle's stream, small operations on an operand,
 * a generalised eigenproblem as a standard one, and cuSOLVER's eigensolvers for any type. And the parts of a
 * workspace, one behind the other.
 *
 * The standard form comes by the Cholesky factor of B from both sides of the whole square, which is twice
 * LAPACK's operations, all of them level 3. */
#ifndef MUBLAS_DEVICE_MATRIX_H
#define MUBLAS_DEVICE_MATRIX_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "gpu/driver.h"
#include "gpu/vendor/solver_library.h"

/* Takes a part of so many bytes and returns where it begins; *end, 0 at first, is where the next one does. */
static inline size_t workspace_take(size_t *end, size_t bytes)
{
    const size_t at = *end;
    *end += device_aligned(bytes);
    return at;
}

/* A column-major matrix in device memory; addresses and leading dimensions may be any that its real numbers
 * allow. */
struct device_part {
    CUdeviceptr address; /* of element (0, 0) */
    int64_t ld, rows, columns;
    enum blas_part part;
};

/* Queues a copy of the part, and nothing beside it, to element (0, 0) of another matrix. */
enum status matrix_part_copy(struct device *device, CUstream stream, const struct device_part *from,
                             CUdeviceptr to, int64_t to_ld, enum blas_type type);

/* A triangle of order n packed as LAPACK does, column by column without gaps. In host memory it is a full matrix, whose
 * columns have nothing to do with the triangle's. */
static inline struct blas_matrix packed_matrix(void *pointer, int64_t n)
{
    const int64_t rows = n % 2 ? n : n + 1;
    return (struct blas_matrix){
        .pointer = pointer, .rows = rows, .columns = n * (n + 1) / 2 / rows, .ld = rows, .part = PART_FULL};
}

/* The place of its diagonal's element i. */
static inline int64_t packed_diagonal(enum blas_part part, int64_t n, int64_t i)
{
    return part == PART_UPPER ? i + i * (i + 1) / 2 : i * n - i * (i - 1) / 2;
}

/* Queues a copy between such a triangle and the same of a square, which is `part`. */
enum status matrix_part_unpack(struct device *device, CUstream stream, CUdeviceptr packed,
                               const struct device_part *part, enum blas_type type);
enum status matrix_part_pack(struct device *device, CUstream stream, const struct device_part *part,
                             CUdeviceptr packed, enum blas_type type);

/* Queues that the strict other triangle of a square becomes the conjugate of the part, which is a
 * triangle. */
enum status matrix_part_complete(struct device *device, CUstream stream, const struct device_part *part,
                                 enum blas_type type);

/* Queues a copy of real elements to those of a complex type. */
enum status matrix_part_widen(struct device *device, CUstream stream, const struct device_part *from,
                              CUdeviceptr to, int64_t to_ld, enum blas_type type);

/* The most blocks of matrix_part_queue_largest, which writes a number for each. */
enum { PART_BLOCKS_MOST = 256 };

/* Queues the search for the part's largest modulus: writes *blocks numbers to `numbers`, the largest of which
 * is the upper 32 bits, without the sign, of the largest real number; those of NaN are larger than those of
 * infinity. */
enum status matrix_part_queue_largest(struct device *device, CUstream stream, const struct device_part *part,
                                      enum blas_type type, CUdeviceptr numbers, unsigned *blocks);

/* Bytes of what scaling keeps on the device, from the one call to the other. */
enum { PART_SCALE_BYTES = 2048 };

/* Queues that the part is multiplied by a power of two if its largest modulus lies where LAPACK's
 * eigensolvers scale, and that it becomes zero where an element is not finite. `scale`: PART_SCALE_BYTES at a
 * multiple of 256. */
enum status matrix_part_scale(struct device *device, CUstream stream, const struct device_part *part,
                              enum blas_type type, CUdeviceptr scale);

/* Real numbers on the device, `step` of them apart. */
struct device_vector {
    CUdeviceptr address;
    int64_t count, step;
};
enum { PART_SCALED_MOST = 4 };

/* Queues that `count` vectors of what was computed are multiplied by the inverse power. After an element that
 * was not finite they become NaN, and INFO, where there is one, -1. */
enum status matrix_part_scale_back(struct device *device, CUstream stream,
                                   const struct device_vector *vectors, int count, enum blas_type type,
                                   CUdeviceptr scale, CUdeviceptr info);

struct route;

/* Values of cuBLAS' parameters. */
enum { DEVICE_LOWER = 0, DEVICE_UPPER = 1 };
enum { DEVICE_NO_TRANS = 0, DEVICE_TRANS = 1, DEVICE_CONJUGATE_TRANS = 2 };
enum { DEVICE_LEFT = 0, DEVICE_RIGHT = 1 };
enum { DEVICE_NON_UNIT = 0, DEVICE_UNIT = 1 };

/* The conjugate transposition as cuSOLVER wants it of real types: their transposition. */
static inline int device_adjoint(enum blas_type type)
{
    return blas_scalar_parts(type) == 2 ? DEVICE_CONJUGATE_TRANS : DEVICE_TRANS;
}

/* Scalars on the host, one for each type. */
extern const union blas_scalar device_one[TYPE_COUNT], device_zero[TYPE_COUNT];

/* Sets INFO to 0, for steps that write none. */
enum status device_matrix_clear_info(const struct route *route, const struct solver_handle *handle);

/* Sets the leading n columns of the operand to those of the identity. */
enum status device_matrix_set_identity(const struct route *route, const struct solver_handle *handle,
                                       int operand, int64_t n);

/* Sets the first n elements of the operand's diagonal to one. */
enum status device_matrix_set_unit_diagonal(const struct route *route, const struct solver_handle *handle,
                                            int operand, int64_t n);

/* Makes the operand's diagonal real, as a Hermitian matrix has it; does nothing for the real types. */
enum status device_matrix_clear_imaginary(const struct route *route, const struct solver_handle *handle,
                                          int operand);

/* Copies the n elements of the operand's diagonal to the vector. */
enum status device_matrix_copy_diagonal(const struct route *route, const struct solver_handle *handle,
                                        int operand, int64_t n, int vector);

/* Makes `result`, m x n, the conjugate transpose of `source`, by a product with the identity of order min(m,
 * n), which its place holds already. */
enum status device_matrix_turn(const struct route *route, const struct solver_handle *handle, int source,
                               int identity, int result, int64_t m, int64_t n);

/* A generalised eigenproblem that becomes a standard one. */
struct standard_form {
    enum blas_type type;
    int itype; /* LAPACK's, 1 to 3 */
    enum blas_uplo uplo;
    int64_t n;
    CUdeviceptr factor; /* B = U' U or L L' */
    int64_t ld;
};

/* Queues that the square A becomes inv(U') A inv(U) or inv(L) A inv(L') for ITYPE 1, U A U' or L' A L for
 * others. */
enum status standard_form_apply(const struct solver_handle *handle, const struct standard_form *form,
                                CUdeviceptr a, int64_t lda);

/* Queues that `count` eigenvectors of that become those of the generalised problem, of ITYPE 1 (or 2). */
enum status standard_form_vectors(const struct solver_handle *handle, const struct standard_form *form,
                                  CUdeviceptr vectors, int64_t ld, int64_t count);

/* A call of cuSOLVER's eigensolvers. Device addresses; itype 0: no B. */
struct solver_eigen_call {
    enum blas_type type;
    int itype;
    bool vectors;
    enum blas_uplo uplo;
    int64_t n, lda, ldb;
    CUdeviceptr a, b, w, info;
};

/* STATUS_UNSUPPORTED: cuSOLVER lacks the routine, refuses the size or answers with a negative number. */
enum status solver_eigen_workspace(const struct solver_handle *handle, const struct solver_eigen_call *call,
                                   size_t *device_bytes, size_t *host_bytes);

/* Queues it on the handle's stream. The workspaces are as large as asked for, and stay until the stream has
 * been waited for. */
enum status solver_eigen_run(const struct solver_handle *handle, const struct solver_eigen_call *call,
                             CUdeviceptr workspace, size_t device_bytes, void *host_workspace,
                             size_t host_bytes);

#endif

/* matrix_part.h - operations of routes on a part of a matrix on the device, by kernels of mublas
 * (gpu/kernels/part.cu), and the parts of a workspace, one behind the other. */
#ifndef MUBLAS_MATRIX_PART_H
#define MUBLAS_MATRIX_PART_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "gpu/driver.h"

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

#endif

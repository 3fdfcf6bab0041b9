/* vector_range.h - LAPACK's RANGE on the device, after all eigenvalues are known: which are wanted, and to
 * the front with them and their vectors (gpu/kernels/vector_range.cu). */
#ifndef MUBLAS_LAPACK_VECTOR_RANGE_H
#define MUBLAS_LAPACK_VECTOR_RANGE_H

#include "common/blas_call.h"
#include "gpu/device.h"

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
 * What stands behind them afterwards is of no use. `workspace`: VECTOR_RANGE_BYTES. */
enum status vector_range_queue(struct device *device, CUstream stream, const struct vector_range *range,
                               CUdeviceptr workspace);

#endif

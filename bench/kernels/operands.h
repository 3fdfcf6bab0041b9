/* operands.h - device memory of the kernel bench.
 *
 * One pool holds the matrices (or pairs of axpy vectors) between which calls rotate, one
 * region the x and y of matrix-vector calls, a pair for every call of a graph while they
 * fit. The data are the same few megabytes of random numbers over and over: each 4 bytes
 * are a float of magnitude 1/4 to 1/2 and either sign, and so each 8 bytes a double of
 * magnitude 2^-23 to 2^-15, each pair of either a complex number: one filling serves all types. */
#ifndef MUBLAS_BENCH_OPERANDS_H
#define MUBLAS_BENCH_OPERANDS_H

#include "case.h"
#include "tuner/learn/shape_timer.h"

struct operands {
    struct tuning_pool memory; /* opened by the caller; its own dealing is not used */
};

/* How the calls of one graph use the operands of a case. */
struct rotation {
    int calls, matrices, vectors;       /* call i: matrix i % matrices, vectors i % vectors */
    size_t matrix_stride, vector_stride; /* bytes */
};

/* At least 20 calls, more when bytes are few. A cold rotation goes through more than
 * 4 times the cache's bytes before a matrix comes again, or through `room` bytes. */
struct rotation rotation_make(double bytes, size_t footprint, size_t vector_bytes, size_t room,
                              size_t l2_bytes, bool warm);
struct rotation rotation_of_case(const struct operands *operands, const struct bench_case *wanted,
                                 size_t l2_bytes);

/* Raise the two sizes to what this case uses, the pool's up to `limit`. */
void operands_want(const struct bench_case *wanted, size_t limit, size_t l2_bytes, size_t *pool_bytes,
                   size_t *vector_bytes);

/* Queue the filling of the vectors that a rotation uses (axpy: of its slots of the pool). */
enum status operands_refresh(const struct operands *operands, const struct bench_case *wanted,
                             const struct rotation *rotation);

/* The call number `call` of a rotation. */
struct blas_call operands_call(const struct operands *operands, const struct bench_case *wanted,
                               const struct rotation *rotation, int call);

/* What no real number of this type in the filling exceeds in magnitude. */
double operands_magnitude(enum blas_type type);

#endif

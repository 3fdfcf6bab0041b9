/* timed_work.h - what timed calls work on: operands with numbers in them, in memory that calls share, and
 * both ways of mublas' own eigensolver on the device at a border (learned_times.h). For one thread. */
#ifndef MUBLAS_TIMED_WORK_H
#define MUBLAS_TIMED_WORK_H

#include "tuner/online/learned_times.h"
#include "tuner/online/timed_class.h"

#include <stddef.h>

/* Memory of `matrix_bytes`, of which the first `filled` have numbers in them. */
struct pool {
    char *memory;
    size_t filled;
};

/* Memory that calls share, so that matrices stay where they are from call to call. Matrices large enough to
 * be pinned have memory of their own: pinned once, it would make small ones fast, too. So large a result of
 * level 3 on the device has a new mapping whenever it is larger than any before: a pin of less would be in
 * the way of its pin. On the host each type has a result of its own: what one type wrote is nonsense to
 * others, doubles as floats now and then too small to be normal, with which a host takes twice as long; and
 * numbers anew for each call would take as long as the calls. */
struct operand_pools {
    struct pool a[2], b[2], c[TYPE_COUNT][2]; /* c is what level 3 writes; of the device's only the first's */
    size_t matrix_bytes;
    enum call_side side; /* that performs the calls */
    bool c_is_new; /* the call's result has memory that no call has written to */
    bool small_is_pinned; /* the memory of small results */
    char *vectors, *x, *y, *x_before; /* these in that */
    size_t vector_bytes;
};

/* Bytes of a matrix as it is laid out. */
size_t operand_bytes(const struct blas_call *call, const struct blas_matrix *matrix);

/* Shapes first, then the least leading dimensions, and memory; scalars with which results stay of one
 * magnitude. B := alpha op(A) B again and again grows instead: with a small alpha B would come to numbers too
 * small to be normal, with which a host computes a hundred times as long; infinite ones and what is no number
 * take no longer than others. False: the call is not legal, or there is no memory. */
bool operand_pools_prepare(struct operand_pools *pools, struct blas_call *call, int64_t lda);

/* trmv's vector, which it writes, as it was. */
void operand_pools_renew_vector(const struct operand_pools *pools, const struct blas_call *call);

/* The median of so many turns counts for each way of a reduction; what takes longer has one turn. */
enum { EIGEN_WAYS_CLUSTER_TURNS = 5 };

/* Microseconds by the way for small orders and by the other: a real problem in one stage and in two, with the
 * border's part of the vectors, or a reduction by a cluster and on all multiprocessors. The matrix is on the
 * device: its way there costs the same for both. The first call opens what stays open until the process ends.
 * False: the device is not able to do both, or has too little memory. */
bool eigen_ways_time(enum route_border border, enum blas_type type, int64_t n, double us[2]);

#endif

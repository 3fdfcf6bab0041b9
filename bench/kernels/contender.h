/* contender.h - who is measured: mublas, and cuBLAS in its two modes. */
#ifndef MUBLAS_BENCH_CONTENDER_H
#define MUBLAS_BENCH_CONTENDER_H

#include "operands.h"
#include "replay.h"

enum contender { CONTENDER_MUBLAS, CONTENDER_CUBLAS, CONTENDER_CUBLAS_ATOMICS, CONTENDER_COUNT };

/* Time a case's calls; the vectors are filled anew before, but not those of axpy, whose sums
 * grow slowly (operands.c). */
enum status contender_time(enum contender who, const struct operands *operands,
                           const struct bench_case *wanted, const struct replay_settings *settings,
                           const struct rotation *rotation, struct timing *timing);

/* The first call of a rotation, its operands filled anew: the call; the filling alone; and
 * the call run by one of them, its result vector in host memory. */
struct blas_call contender_first_call(const struct operands *operands, const struct bench_case *wanted,
                                      const struct rotation *rotation);
enum status contender_refresh(const struct operands *operands, const struct bench_case *wanted,
                              const struct rotation *rotation);
enum status contender_run_once(enum contender who, const struct operands *operands,
                               const struct bench_case *wanted, const struct rotation *rotation, void *result,
                               size_t bytes);

#endif

/* contender.h - who is measured: mublas, and cuBLAS in its two modes. */
#ifndef MUBLAS_BENCH_CONTENDER_H
#define MUBLAS_BENCH_CONTENDER_H

#include "operands.h"
#include "replay.h"

enum contender { CONTENDER_MUBLAS, CONTENDER_CUBLAS, CONTENDER_CUBLAS_ATOMICS, CONTENDER_COUNT };

/* Time a case's calls; the vectors are filled anew before, but not those of axpy, whose sums
 * grow slowly (operands.c). */
enum status contender_time(enum contender who, const struct operands *operands, const struct bench_case *wanted,
                           const struct replay_settings *settings, const struct rotation *rotation,
                           struct timing *timing);

/* Do the two agree to rounding on the first call of a rotation? A line says how not. Both
 * round a sum of k products in some order, so no element may differ by more than a few
 * k eps max|a| max|x| + eps max|y|, which one wrong matrix element exceeds. */
enum status contender_agree(enum contender one, enum contender other, const struct operands *operands,
                            const struct bench_case *wanted, const struct rotation *rotation, bool *agree);

#endif

/* split_sum.h - the results of a call over several devices out of what pieces bring, in the contract's order.
 */
#ifndef MUBLAS_SPLIT_SUM_H
#define MUBLAS_SPLIT_SUM_H

#include "interpose/execute/split_memory.h"
#include "interpose/execute/split_plan.h"

/* What a piece brings to some results. */
struct split_addend {
    void *values;
    int64_t piece; /* its first term */
    int64_t result_first, results;
};

/* What split_sum takes of the memory. */
size_t split_sum_bytes(const struct split_plan *plan);

/* `result`, contiguous, is y before and after, or x after a trmv. Reorders the addends, and adds up where they
 * lie; each result has one at most of a piece. STATUS_UNSUPPORTED: a complex number that is not finite, whose
 * product with (1, 0) on the device may have been another. The results are as they were then. */
enum status split_sum(const struct split_plan *plan, struct split_addend *addends, int count,
                      struct split_memory *memory, void *result);

#endif

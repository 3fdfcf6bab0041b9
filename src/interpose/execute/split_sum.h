/* split_sum.h - the results of a call over several devices out of what pieces bring, in the contract's order.
 */
#ifndef MUBLAS_SPLIT_SUM_H
#define MUBLAS_SPLIT_SUM_H

#include "interpose/execute/split_plan.h"

/* What a piece brings to some results. */
struct split_addend {
    const void *values;
    int64_t piece; /* its first term */
    int64_t result_first, results;
};

/* `result`, contiguous, is y before and after, or x after a trmv. Reorders the addends; each result has one
 * at most of a piece. STATUS_UNSUPPORTED: a complex number that is not finite, whose product with (1, 0) on
 * the device may have been another. The results are as they were then, and where there is no memory. */
enum status split_sum(const struct split_plan *plan, struct split_addend *addends, int count, void *result);

#endif

/* border_search.h - from which order on one of two ways is the faster one, by few and dear timings: a rule of
 * two intervals, whose border is where the ratio of the times is one. Pure but for who times. */
#ifndef MUBLAS_BORDER_SEARCH_H
#define MUBLAS_BORDER_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* The time of the way for large orders over that of the other at this order; false: it was not timed. */
typedef bool border_ratio(void *context, int64_t order, double *ratio);

/* Begins at the border known so far, which stays where the ways are as fast there, and goes on towards the
 * ratio one at three orders at most, none of them twice, each within 1.4 times the one before, or the next
 * multiple of 32, and none above `most`. 0: nothing was timed. */
int64_t border_search(int64_t known, int64_t most, border_ratio *ratio, void *context);

#endif

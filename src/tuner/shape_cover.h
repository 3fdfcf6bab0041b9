/* shape_cover.h - the few shapes that together do all sizes nearly as fast as the whole field.
 *
 * Most of the shapes that are the fastest somewhere are matched there by another: five or six of an H100's
 * 16 finalists lose 0.2% to all of them. The time of the others is better spent on more sizes. Pure. */
#ifndef MUBLAS_SHAPE_COVER_H
#define MUBLAS_SHAPE_COVER_H

#include "tuner/sampled_rules.h"

#include <stdbool.h>

/* Says of each shape whether it is kept: from what is built in on always the one more that gains most, until over
 * the sampled sizes log(time / fastest) is `enough` on the mean, or none gains. How many are kept. */
size_t shape_cover(const struct sampled_times *times, double enough, bool *kept);

/* Forget the others: in `times`, its shapes (which `shapes` is) and terms (NULL: none). */
void shape_cover_keep(struct sampled_times *times, struct launch_shape *shapes, struct shape_terms *terms,
                      const bool *kept);

#endif

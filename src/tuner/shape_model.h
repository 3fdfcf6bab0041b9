/* shape_model.h - why a launch takes as long as it does: the time of a launch shape as a sum of terms.
 *
 *     seconds = c0 + c1 bytes + c2 beyond + c3 rounds + c4 ragged + c5 slow + c6 shares + c7 chain + c8 waves
 *               + c9 launched,  c >= 0
 *
 * bytes: what is read of the matrix; beyond: of these what exceeds a large second-level cache, from which
 * strips of symv read again. rounds: the leaf tiles that a team does one after another, items dealt out to
 * the blocks that are active at once (makespan.h): a wave that is nearly empty costs as much as a full one,
 * which no smooth curve over n can follow. ragged and slow: the same with the leaf tiles that are cut off or
 * on the diagonal, which warps take that are free, and which take as long as whole ones or three times that.
 * shares: the rounds with the multiprocessors for workers.
 * chain: what the last arriver sums. waves: items for each active block. launched: 1 where calls are timed
 * without a graph (shape_timer_launches), between which the device waits. The c are fitted to a shape's
 * times, relative to them; what is left over is smooth enough for a spline (sampled_rules.h). Pure. */
#ifndef MUBLAS_SHAPE_MODEL_H
#define MUBLAS_SHAPE_MODEL_H

#include "tuner/occupancy_shape.h"

enum { SHAPE_TERMS = 10 };

struct shape_terms {
    double of[SHAPE_TERMS]; /* >= 0, the first 1; scaled to be near microseconds on a large device */
};

/* The shape must be able to run the call. */
struct shape_terms shape_terms_of(const struct blas_call *call, const struct launch_shape *shape,
                                  const struct shape_figures *figures, bool launched);

struct shape_model {
    double coefficients[SHAPE_TERMS]; /* seconds */
};

/* The least squares of model / seconds - 1 over count >= 1 samples with seconds > 0. */
struct shape_model shape_model_fit(const struct shape_terms *terms, const double *seconds, size_t count);

/* Seconds, > 0. */
double shape_model_at(const struct shape_model *model, const struct shape_terms *terms);

#endif

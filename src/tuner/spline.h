/* spline.h - d-splines (papers 002 and 003): from a few samples to a value at every
 * position, without a form of the curve given in advance.
 *
 * Over the positions 0..length - 1 the fit f minimises |y - E f|^2 + alpha^2 |D f|^2: E
 * picks the sampled positions, D takes second differences. Samples have weights, so that
 * noisy ones count less. Positions are equally spaced for D whatever they stand for; for
 * times of calls, positions on a logarithmic scale of n and values log(time) keep the
 * curvature even. All functions are pure; O(length + samples) work. */
#ifndef MUBLAS_SPLINE_H
#define MUBLAS_SPLINE_H

#include <stdbool.h>
#include <stddef.h>

struct spline_sample {
    size_t position; /* below length; one may be sampled more than once */
    double value;
    double weight;   /* above 0; 1 for all: the paper's */
};

/* Fit into values[length]. errors (may be NULL) gets a standard error of the fit at every
 * position: small near samples, large in gaps, larger where the neighbouring samples lie
 * off what the others foretell (leave-one-out). False: fewer than two different positions
 * (there is no line), a value that is not finite, or no memory. */
bool spline_fit(const struct spline_sample *samples, size_t count, size_t length, double alpha,
                double *values, double *errors);

/* The root of the mean squared error with which each sample is foretold by the others;
 * infinity where spline_fit would fail. */
double spline_foretold(const struct spline_sample *samples, size_t count, size_t length, double alpha);

/* The alpha, of 2^-6, 2^-5, ..., 2^12, that foretells best; 1 with fewer than four samples. */
double spline_choose_alpha(const struct spline_sample *samples, size_t count, size_t length);

/* Incremental sampling: the position with the largest error that has no sample yet;
 * `length` when all have one. Both ends come first: a fit runs away beyond its samples. */
size_t spline_next(const struct spline_sample *samples, size_t count, size_t length, const double *errors);

#endif

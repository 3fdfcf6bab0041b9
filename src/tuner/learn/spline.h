/* spline.h - d-splines (papers 002 and 003): from a few samples to a value at every
 * position, without a form of the curve given in advance.
 *
 * Over the positions 0..length - 1 the fit f minimises |y - E f|^2 + alpha^2 |D f|^2: E
 * picks the sampled positions, D takes second differences. Positions are equally spaced for D whatever they
 * stand for; for times of calls, positions on a logarithmic scale of n and values log(time) keep the
 * curvature even. All functions are pure; O(length + samples) work. */
#ifndef MUBLAS_SPLINE_H
#define MUBLAS_SPLINE_H

#include <stdbool.h>
#include <stddef.h>

struct spline_sample {
    size_t position; /* below length; one may be sampled more than once */
    double value;
};

/* Fit into values[length]. False: fewer than two different positions (there is no line), a value that is not
 * finite, an alpha that is not above 0, or no memory. */
bool spline_fit(const struct spline_sample *samples, size_t count, size_t length, double alpha,
                double *values);

#endif

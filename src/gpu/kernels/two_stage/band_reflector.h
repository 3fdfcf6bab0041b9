/* band_reflector.h - elementary reflectors of the two-stage reduction: H = I - tau v v', v(0) = 1, H x = beta
 * e1.
 *
 * The matrix is scaled so that its largest element is about 1. A column whose squares add up to less than
 * `least` counts as zero: beside that element it is nothing, and so no sum of squares has to be raised. */
#ifndef MUBLAS_BAND_REFLECTOR_H
#define MUBLAS_BAND_REFLECTOR_H

#include "gpu/kernels/grid_ops.h"
#include "gpu/kernels/reflector.h"
#include "gpu/kernels/two_stage/band_arguments.h"

template <typename R> struct band_square_range;
template <> struct band_square_range<float> {
    static constexpr float least = 0x1p-100f;
};
template <> struct band_square_range<double> {
    static constexpr double least = 0x1p-900;
};

/* v = scale x below its first element; scale and tau are 0 where H = I. */
template <typename R> struct band_reflector {
    R beta, tau, scale;
};

/* squares: of the elements below alpha. */
template <typename R> DEVICE_FUNCTION band_reflector<R> band_reflector_of(R alpha, R squares)
{
    const R whole = fused(alpha, alpha, squares);
    if (squares == R(0) || whole < band_square_range<R>::least) /* NaN goes on */
        return {alpha, R(0), R(0)};
    const R root = root_of(whole), beta = alpha >= R(0) ? -root : root;
    return {beta, (beta - alpha) / beta, 1 / (alpha - beta)};
}

#endif

/* shape_verify.h - do launch shapes give the bits that the built-in one gives? Inside device_enter. */
#ifndef MUBLAS_SHAPE_VERIFY_H
#define MUBLAS_SHAPE_VERIFY_H

#include "tuner/learn/timing/shape_timer.h"

/* Raise the lane's workspace to what any of the shapes needs for the call. */
enum status shape_verify_prepare(struct shape_timer *timer, const struct blas_call *call,
                                 const struct launch_shape *shapes, size_t count);

/* Run each shape once, after preparing; `partial`: as in timing_plan. */
enum shape_outcome { SHAPE_CANNOT, SHAPE_WRONG, SHAPE_RIGHT };
enum status shape_verify(struct shape_timer *timer, const struct blas_call *call,
                         const struct launch_shape *shapes, size_t count, bool partial,
                         enum shape_outcome *outcomes);

#endif

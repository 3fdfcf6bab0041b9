/* eigen_stages.h - how long mublas' own eigensolver takes on the device in one stage and in two. The matrix
 * is there: what its way costs is the same for both. For one thread. What the first call opens stays open
 * until the process ends. */
#ifndef MUBLAS_EIGEN_STAGES_H
#define MUBLAS_EIGEN_STAGES_H

#include "common/blas_call.h"

/* Microseconds, of TYPE_S or TYPE_D and so many of the vectors. False: the device is not able to do it, or has
 * too little memory. */
bool eigen_stages_time(enum blas_type type, int64_t n, int64_t vectors, double *one_us, double *two_us);

#endif

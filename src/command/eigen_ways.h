/* eigen_ways.h - how long mublas' own eigensolver takes on the device by the ways on both sides of a border
 * (route_factors.h). The matrix is there: what its way costs is the same for both. For one thread. What the
 * first call opens stays open until the process ends. */
#ifndef MUBLAS_EIGEN_WAYS_H
#define MUBLAS_EIGEN_WAYS_H

#include "tuner/online/route_factors.h"

/* Of each way of a reduction the median counts; what takes longer has one turn. */
enum { EIGEN_WAYS_CLUSTER_TURNS = 5 };

/* Microseconds by the way for small orders and by the other: a real problem in one stage and in two, with the
 * border's part of the vectors, or a reduction by a cluster and on all multiprocessors. False: the device is
 * not able to do both, or has too little memory. */
bool eigen_ways_time(enum route_border border, enum blas_type type, int64_t n, double us[2]);

#endif

/* parallel_error.h - the elements of the matrices that `mublas verify --parallel` makes, each by its place alone,
 * so that processes agree, and how far results of a parallel routine through mublas are from the host's, or from
 * what they have to be. */
#ifndef MUBLAS_PARALLEL_ERROR_H
#define MUBLAS_PARALLEL_ERROR_H

#include "command/verify/parallel_problem.h"

/* The elements of the matrices that `mublas verify --parallel` makes, each by its place
 * alone, so that processes agree. */

/* The content that the routine's matrix of that letter has to have, chosen so that rounding changes little.
 * */
enum parallel_content parallel_content_of(const struct parallel_routine *routine, char letter);

struct number parallel_content_element(const struct parallel_problem *problem, const struct parallel_array *array,
                                       int64_t i, int64_t j);

/* How far results of a parallel routine through mublas are from the host's, or from what
 * they have to be. */

/* All processes call it and get the same: the largest difference of updated matrices and of eigenvalues, in
 * units of eps * order * norm, and for eigenvectors LAPACK's testers' ratio (verify/lapack.h). Infinite
 * where INFO is not 0, where another number of eigenvalues or other pivots are found, or memory is short.
 * `before` is the call as it was. */
double parallel_error(struct parallel_problem *ours, struct parallel_problem *hosts,
                      struct parallel_problem *before);

/* Each process asks for itself: was nothing but results written? */
bool parallel_kept(struct parallel_problem *ours, const struct parallel_problem *before);

/* Eigenvalues found. */
int64_t parallel_found(const struct parallel_problem *problem);

enum { PARALLEL_WHOLE_MOST = (PARALLEL_ORDER_MOST + 8) * (PARALLEL_ORDER_MOST + 8) };

#endif

/* parallel_error.h - how far results of a parallel routine through mublas are from the host's, or from what
 * they have to be, and the elements of the matrices that `mublas verify --parallel` makes. */
#ifndef MUBLAS_PARALLEL_ERROR_H
#define MUBLAS_PARALLEL_ERROR_H

#include "command/verify/parallel_problem.h"

/* The content that the routine's matrix of that letter has to have, chosen so that rounding changes
 * little. */
enum parallel_content parallel_content_of(const struct parallel_routine *routine, char letter);

/* An element by its place alone, so that processes agree. */
struct number parallel_content_element(const struct parallel_problem *problem,
                                       const struct parallel_array *array, int64_t i, int64_t j);

/* All processes call it and get the same: the largest difference of updated matrices and of eigenvalues, in
 * units of eps * order * norm, and for eigenvectors LAPACK's testers' ratio (verify/lapack.h). Infinite
 * where INFO is not 0, where another number of eigenvalues or other pivots are found, or memory is short.
 * `before` is the call as it was. */
double parallel_error(struct parallel_problem *ours, struct parallel_problem *hosts,
                      struct parallel_problem *before);

/* Each process asks for itself: was nothing but results written? */
bool parallel_kept(struct parallel_problem *ours, const struct parallel_problem *before);

#endif

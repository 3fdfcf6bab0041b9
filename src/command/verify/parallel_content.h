/* parallel_content.h - the elements of the matrices that `mublas verify --parallel` makes, each by its place
 * alone, so that processes agree. */
#ifndef MUBLAS_VERIFY_PARALLEL_CONTENT_H
#define MUBLAS_VERIFY_PARALLEL_CONTENT_H

#include "command/verify/parallel_problem.h"

/* The content that the routine's matrix of that letter has to have, chosen so that rounding changes little.
 * */
enum parallel_content parallel_content_of(const struct parallel_routine *routine, char letter);

struct number parallel_content_element(const struct parallel_problem *problem, const struct parallel_array *array,
                                       int64_t i, int64_t j);

#endif

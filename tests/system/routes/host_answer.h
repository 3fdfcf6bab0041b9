/* host_answer.h - what the plain host says of workspaces. */
#ifndef MUBLAS_TESTS_HOST_ANSWER_H
#define MUBLAS_TESTS_HOST_ANSWER_H

#include "lapack_call.h"

/* Do the first elements of the workspaces of a finished call hold what the host left there after the same
 * call, or what the host's workspace query answers? A host may leave more than it answers, of routines that
 * it calls inside. */
bool host_answer_is(const struct lapack_call *ours, const struct lapack_call *host);

#endif

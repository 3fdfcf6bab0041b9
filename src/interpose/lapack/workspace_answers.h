/* workspace_answers.h - the first elements of workspaces, which tell the best size: what the bound host's
 * own query answers, asked once for each routine, flags and sizes. */
#ifndef MUBLAS_LAPACK_WORKSPACE_ANSWERS_H
#define MUBLAS_LAPACK_WORKSPACE_ANSWERS_H

#include "interpose/lapack/call.h"

enum { WORKSPACE_QUERIES_MAX = 3, WORKSPACE_SIZES_MAX = 3 };

/* Argument numbers. */
struct workspace_layout {
    struct {
        int array, length; /* length 0: the array's first element tells nothing */
    } query[WORKSPACE_QUERIES_MAX];
    int info;
    int sizes[WORKSPACE_SIZES_MAX]; /* sizes beside the order; 0: there is none */
};

/* Write WORK(1), RWORK(1), IWORK(1) as the host would have. Thread-safe. The thread is inside mublas, so
 * that what the host calls for it is not looked at. */
void workspace_answers_write(const struct lapack_call *call, const struct workspace_layout *layout);

#endif

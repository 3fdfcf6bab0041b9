/* shape_list.h - launch shapes given by hand, to measure cases by. */
#ifndef MUBLAS_BENCH_SHAPE_LIST_H
#define MUBLAS_BENCH_SHAPE_LIST_H

#include "gpu/launch.h"

enum { SHAPE_LIST_MOST = 32 };

struct given_shape {
    struct launch_shape shape; /* edge 0: what launch() chooses */
    const char *text;          /* as given, not copied */
};

struct shape_list {
    struct given_shape shapes[SHAPE_LIST_MOST];
    int count;
};

/* "chosen", or the eight members of struct launch_shape as decimal numbers, "256,64,4,1,0,0,4,0".
 * False: it is neither, or the list is full. */
bool shape_list_add(struct shape_list *list, const char *text);

/* NULL when the call can be run by it; otherwise why not. */
const char *shape_list_fault(const struct blas_call *call, const struct given_shape *given);

#endif

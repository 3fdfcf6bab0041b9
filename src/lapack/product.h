/* product.h - a level 3 call of BLAS as a route: its matrices go up once, and its result comes home once.
 *
 * For calls whose matrices lie in memory of mublas' own, as those of parallel routes do (src/scalapack). */
#ifndef MUBLAS_LAPACK_PRODUCT_H
#define MUBLAS_LAPACK_PRODUCT_H

#include "lapack/route.h"

struct product_problem {
    struct blas_call call; /* of level 3, legal, with something to do; pointers are of host memory */
};

/* Describes the work. The problem must live as long as the route. */
void product_describe(struct product_problem *problem, struct route *route);

#endif

/* host_element.h - one element of a call's result, added on the host. */
#ifndef MUBLAS_BENCH_HOST_ELEMENT_H
#define MUBLAS_BENCH_HOST_ELEMENT_H

#include "common/blas_call.h"
#include "gpu/lane.h"

struct host_element {
    long double parts[2];  /* the second of complex types */
    long double magnitude; /* of what is added: the same sum over the terms' absolute values */
    int64_t products;      /* of real numbers, in each part */
};

/* Element `index` of the result of `call` (types S, D, C, Z; increments 1), whose operands
 * lie on the device and hold what they hold before it. Plain sums in long double: what both
 * contenders round far more than. */
enum status host_element(struct lane *lane, const struct blas_call *call, int64_t index,
                         struct host_element *element);

#endif

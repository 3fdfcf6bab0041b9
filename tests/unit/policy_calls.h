/* policy_calls.h - a call for the tests of policy.h. */
#ifndef MUBLAS_TEST_POLICY_CALLS_H
#define MUBLAS_TEST_POLICY_CALLS_H

#include "common/blas_call.h"

/* dsymv, lower; its memory must not be read. */
static inline struct blas_call symv_call(int64_t n)
{
    static double storage;
    return (struct blas_call){
        .family = FAMILY_SYMV, .type = TYPE_D, .n = n,
        .a = {.pointer = &storage, .rows = n, .columns = n, .ld = n, .part = PART_LOWER},
        .x = {&storage, n, 1}, .y = {&storage, n, 1}};
}

#endif

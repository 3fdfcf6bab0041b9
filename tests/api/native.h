/* native.h - what the tests of the native API share: any call by its native routine, device
 * copies of operands, bits against the contract's model. */
#ifndef MUBLAS_TESTS_NATIVE_H
#define MUBLAS_TESTS_NATIVE_H

#include "common/blas_call.h"
#include "gpu/kernel_cases.h"
#include "mublas.h"

/* The call, whose pointers are device addresses, by the routine of the native API that does
 * it; alpha and beta where the handle's pointer mode expects them. trmv: x in place. */
enum mublas_status native_call_run(struct mublas_handle *handle, const struct blas_call *call,
                                   const void *alpha, const void *beta);

/* Operands in device memory. */
struct native_operands {
    struct operands host;
    struct blas_call call; /* on the device */
    void *a, *x, *y, *scalars;
    void *alpha, *beta; /* in `scalars` */
};

/* Lay a case out, copy it to the device. False: out of memory. For trmv y is x, in place. */
bool native_operands_make(struct mublas_handle *handle, const struct kernel_case *kernel_case,
                          const struct placement *placement, struct native_operands *operands);
void native_operands_free(struct mublas_handle *handle, struct native_operands *operands);

/* Run on the handle's stream: `by_value`: alpha and beta from host memory. Does not wait. */
enum mublas_status native_operands_run(struct mublas_handle *handle, const struct native_operands *operands,
                                       bool by_value);

/* After waiting: are these the contract's bits, and nothing else changed? */
bool native_operands_right(struct mublas_handle *handle, const struct native_operands *operands);

#endif

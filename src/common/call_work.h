/* call_work.h - how much a call reads, writes and computes. Pure functions, in bytes and operations as
 * doubles: sizes near 2^31 must not overflow. */
#ifndef MUBLAS_CALL_WORK_H
#define MUBLAS_CALL_WORK_H

#include "common/blas_call.h"

/* Bytes of the parts of the matrix operands that the call reads or writes. */
double call_work_matrix_bytes(const struct blas_call *call);

/* The address range that a scan must cover, columns and the gaps between them; of that, the gaps. */
double call_work_scanned_bytes(const struct blas_call *call);
double call_work_gap_bytes(const struct blas_call *call);

/* That go to the device and come back. */
double call_work_vector_bytes(const struct blas_call *call);

/* Of the matrix that the call writes. */
double call_work_result_bytes(const struct blas_call *call);

/* Of elements, which a call sums up. */
double call_work_products(const struct blas_call *call);

/* Floating-point operations, and those of one multiplication and addition. */
double call_work_operations(const struct blas_call *call);
double call_work_per_product(enum blas_type type);

#endif

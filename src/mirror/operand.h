/* operand.h - one matrix operand of a call: where it lies on the host, what the call does with it, and where
 * it is on the device. */
#ifndef MUBLAS_OPERAND_H
#define MUBLAS_OPERAND_H

#include "common/blas_call.h"
#include "gpu/driver.h"

#include <stdint.h>

enum operand_access {
    OPERAND_READ,
    OPERAND_UPDATE,   /* read and written */
    OPERAND_OVERWRITE /* written without being read (beta = 0) */
};

enum { OPERANDS_MAX = 3, OPERAND_KINDS = FAMILY_COUNT * TYPE_COUNT };

struct operand {
    struct blas_matrix matrix; /* host pointer; part says what is read and written */
    size_t element_bytes;
    enum operand_access access;
    /* What the device address must be a multiple of, at most 256; 0: anything. Device addresses
     * are as the host's within a page, so an operand that is not is copied at every call. */
    size_t alignment;
    unsigned kind; /* of call, below OPERAND_KINDS: residency bought for one is judged by that of its kind */
    /* filled by operands_hold: */
    CUdeviceptr device_address; /* of matrix element (0, 0) */
    int64_t device_ld;
};

static inline bool operand_is_misaligned(const struct operand *operand)
{
    return operand->alignment && (uintptr_t)operand->matrix.pointer % operand->alignment != 0;
}

/* Bytes that a held call moved, for the report. */
struct transfer_count {
    uint64_t bytes_up, bytes_down;
};

#endif

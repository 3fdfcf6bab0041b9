/* operand.h - one matrix operand of a call: where it lies on the host, what the call does with it, and
 * where it is on the device; and ranges of host memory and of a mirror's pages. */
#ifndef MUBLAS_OPERAND_H
#define MUBLAS_OPERAND_H

#include "common/blas_call.h"
#include "gpu/driver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Host memory, by address. */
struct byte_range {
    uintptr_t begin, end;
};

/* A mirror's pages, by number. */
struct page_range {
    size_t begin, end;
};

static inline bool byte_ranges_overlap(struct byte_range one, struct byte_range other)
{
    return one.begin < other.end && other.begin < one.end;
}

/* The bytes that both have; if there are none the end does not lie behind the beginning. */
static inline struct byte_range byte_ranges_common(struct byte_range one, struct byte_range other)
{
    return (struct byte_range){one.begin > other.begin ? one.begin : other.begin,
                               one.end < other.end ? one.end : other.end};
}

static inline struct page_range page_ranges_common(struct page_range one, struct page_range other)
{
    return (struct page_range){one.begin > other.begin ? one.begin : other.begin,
                               one.end < other.end ? one.end : other.end};
}

static inline bool byte_range_covers(struct byte_range outer, struct byte_range inner)
{
    return outer.begin <= inner.begin && inner.end <= outer.end;
}

static inline bool page_range_covers(struct page_range outer, struct page_range inner)
{
    return outer.begin <= inner.begin && inner.end <= outer.end;
}

static inline size_t byte_range_length(struct byte_range range)
{
    return range.begin < range.end ? range.end - range.begin : 0;
}

static inline size_t page_range_length(struct page_range pages)
{
    return pages.begin < pages.end ? pages.end - pages.begin : 0;
}

enum operand_access {
    OPERAND_READ,
    OPERAND_UPDATE,   /* read and written */
    OPERAND_OVERWRITE /* written without being read (beta = 0) */
};

enum { OPERANDS_MAX = 3, OPERAND_ROUTE_KINDS = FAMILY_COUNT * TYPE_COUNT, OPERAND_KINDS = OPERAND_ROUTE_KINDS + TYPE_COUNT };

struct operand {
    struct blas_matrix matrix; /* host pointer; part says what is read and written */
    size_t element_bytes;
    enum operand_access access;
    /* The device address must be a multiple of this, at most 256; 0: anything. Device addresses
     * are as the host's within a page, so an operand that is not is copied at every call. */
    size_t alignment;
    unsigned kind; /* of call, below OPERAND_KINDS, a route's from OPERAND_ROUTE_KINDS on: residency bought for one is judged by that of its kind */
    /* filled by operands_take_hold: */
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

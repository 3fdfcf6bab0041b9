/* byte_range.h - a range of host memory. */
#ifndef MUBLAS_BYTE_RANGE_H
#define MUBLAS_BYTE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct byte_range {
    uintptr_t begin, end;
};

static inline bool byte_ranges_overlap(struct byte_range one, struct byte_range other)
{
    return one.begin < other.end && other.begin < one.end;
}

#endif

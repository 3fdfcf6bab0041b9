/* ranges.h - a range of host memory, and one of a mirror's pages. */
#ifndef MUBLAS_RANGES_H
#define MUBLAS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_range {
    uintptr_t begin, end;
};

/* Pages by number. */
struct page_range {
    size_t begin, end;
};

static inline bool byte_ranges_overlap(struct byte_range one, struct byte_range other)
{
    return one.begin < other.end && other.begin < one.end;
}

/* What both have; where they have nothing the end does not lie behind the beginning. */
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

#endif

/* footprint.h - which bytes of host memory a matrix operand touches. */
#ifndef MUBLAS_FOOTPRINT_H
#define MUBLAS_FOOTPRINT_H

#include "mirror/operands.h"
#include "mirror/ranges.h"

/* No pointer, no rows or no columns: touches nothing. */
bool footprint_is_empty(const struct operand *operand);

/* From the first byte touched to behind the last. */
struct byte_range footprint_hull(const struct operand *operand);

/* Bytes of the elements of the part. */
uint64_t footprint_bytes(const struct operand *operand);

/* Bytes of the pages that it touches, about: a few rows of a column touch a page whole. */
uint64_t footprint_touched_bytes(const struct operand *operand);

/* True when every element of `inner` is an element of `outer`. May say false of
 * matrices whose layouts differ. */
bool footprint_contains(const struct operand *outer, const struct operand *inner);

/* The touched bytes as ascending runs without a gap inside; neighbouring runs may
 * touch or not, columns that adjoin in memory come as one run. */
struct footprint {
    const struct operand *operand;
    int64_t column;
};

static inline struct footprint footprint_start(const struct operand *operand)
{
    return (struct footprint){operand, 0};
}

/* The same from the column on in which `address` may lie. */
struct footprint footprint_start_at(const struct operand *operand, uintptr_t address);

bool footprint_next(struct footprint *footprint, struct byte_range *run);

#endif

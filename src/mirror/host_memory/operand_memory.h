/* operand_memory.h - which bytes of host memory a matrix operand touches. */
#ifndef MUBLAS_OPERAND_MEMORY_H
#define MUBLAS_OPERAND_MEMORY_H

#include "mirror/operand.h"
#include "mirror/ranges.h"

/* No pointer, no rows or no columns: touches nothing. */
bool operand_memory_is_empty(const struct operand *operand);

/* From the first byte touched to behind the last. */
struct byte_range operand_memory_hull(const struct operand *operand);

/* Bytes of the elements of the part. */
uint64_t operand_memory_bytes(const struct operand *operand);

/* Bytes of the pages that it touches, about: a few rows of a column touch a page whole. */
uint64_t operand_memory_page_bytes(const struct operand *operand);

/* True when every element of `inner` is an element of `outer`. May say false of
 * matrices whose layouts differ. */
bool operand_memory_contains(const struct operand *outer, const struct operand *inner);

/* The touched bytes as ascending runs without a gap inside; neighbouring runs may
 * touch or not, columns that adjoin in memory come as one run. */
struct operand_runs {
    const struct operand *operand;
    int64_t column;
};

static inline struct operand_runs operand_runs_start(const struct operand *operand)
{
    return (struct operand_runs){operand, 0};
}

/* The same from the column on in which `address` may lie. */
struct operand_runs operand_runs_start_at(const struct operand *operand, uintptr_t address);

bool operand_runs_next(struct operand_runs *runs, struct byte_range *run);

#endif

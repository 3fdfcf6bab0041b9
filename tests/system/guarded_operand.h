/* guarded_operand.h - an operand in memory of which only the pages that hold its elements can be touched.
 *
 * Every operand has a twin in ordinary memory, on which the host BLAS does the same. */
#ifndef MUBLAS_TESTS_GUARDED_OPERAND_H
#define MUBLAS_TESTS_GUARDED_OPERAND_H

#include "random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum guard { GUARD_PROTECT, GUARD_UNMAP };

struct guarded {
    char type;             /* s d c z */
    int64_t rows, columns; /* a vector has rows of one element, its increment apart */
    int64_t ld;
    char part;             /* F, or the triangle U or L */
    int64_t lead;          /* elements between the beginning of a page and the first one */
    size_t bytes;          /* whole pages, with one before and one behind the elements */
    char *memory, *twin;
    bool *touched;         /* by page: holds an element */
    bool unmapped;         /* the others are gone */
};

/* Element (0, 0), of the operand or of its twin. */
void *guarded_data(const struct guarded *operand, bool twin);

/* Fill in what is missing and make the memory, all of it NaN. */
void guarded_make(struct guarded *operand);
void guarded_free(struct guarded *operand);

/* Give the elements values of at most 1, and 1.5 to 2.5 to those on the diagonal if `dominant`, others
 * being small then; both twins alike. */
void guarded_fill(struct guarded *operand, bool dominant, struct random *random);

/* Change some elements. */
void guarded_change(struct guarded *operand, struct random *random);

/* Take away the pages without elements. */
void guarded_close(struct guarded *operand, enum guard guard);

/* Is what can be read the twin's: elements about, everything else bit for bit? */
bool guarded_agrees(const struct guarded *operand);

#endif

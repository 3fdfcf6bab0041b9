/* fenced.h - operands of a call in guarded memory (guarded_operand.h) whose last element ends at a page that
 * cannot be touched, beside the twins that the plain host works on; and a picture of what they were before.
 */
#ifndef MUBLAS_TESTS_FENCED_H
#define MUBLAS_TESTS_FENCED_H

#include "../guarded_operand.h"

struct fenced {
    struct guarded memory; /* all NaN until filled; integers are of type s and -1 */
    char *before;
    char written;          /* what the call may write: F all elements, U or L a triangle, N nothing */
    int64_t columns;       /* and only of the first of them */
};

/* Rows and columns may be 0: the pointers are NULL then, as they are of one that was never made. */
void fenced_make(struct fenced *operand, char type, int64_t rows, int64_t columns, int64_t ld);
void fenced_free(struct fenced *operand);

/* For the program's call, or the host's. */
void *fenced_data(const struct fenced *operand, bool twin);

/* Copy into both, closely packed columns: a triangle U or L of them or all (F). */
void fenced_fill(struct fenced *operand, char part, const double *matrix);

/* The same of a packed triangle of the n x n matrix; the operand has n (n + 1) / 2 rows. */
void fenced_fill_packed(struct fenced *operand, char part, int n, const double *matrix);

/* Nothing is written after this but by the call, and pages without elements cannot be touched; with
 * ROUTES_OPEN in the environment they can, for a host that reads further than it may, as kernels of OpenBLAS
 * do. */
void fenced_close(struct fenced *operand, char written, int64_t columns);

/* Is everything that the call must not write as it was, bit for bit? */
bool fenced_is_clean(const struct fenced *operand);

/* Are all elements that it may write the host's, within `tolerance`, NaN where those are? */
bool fenced_agrees(const struct fenced *operand, double tolerance);

#endif

/* factorisation_data.h - variants of calls of LAPACK's factorisations, and their operands. */
#ifndef MUBLAS_TESTS_FACTORISATION_DATA_H
#define MUBLAS_TESTS_FACTORISATION_DATA_H

#include "tests/system/element.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* All addresses, then lengths of strings. */
typedef void lapack_routine(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                            void *, void *, void *, size_t, size_t, size_t);

/* From LAPACK's own library, beside any shim; name without the type's letter. */
lapack_routine *host_routine(char type, const char *name);

/* What one call is. Begins all zero but for the first three; later all of one routine and type in turn. */
struct variant {
    const char *routine; /* LAPACK's real name */
    char type;
    int order;
    int number; /* of this variant, from 1 */
    char uplo, side, trans, diag;
    int m, n, k;
    int is_tight; /* the least workspace */
    char flaw; /* of A, that leaves the call to the host; '-': none. i: indefinite, n: NaN, z: a zero on the
                * diagonal of what goes in, s: singular */
};
bool variant_next(struct variant *variant); /* false: there are no more */
void variant_text(const struct variant *variant, char *text, size_t room);

struct operands {
    struct variant variant;
    int lda, ldb, lwork, info;
    double *a, *b, *tau, *work; /* elements of the variant's type */
    int *pivots;
};
struct operands operands_make(const struct variant *variant, uint64_t seed);
struct operands operands_copy(const struct operands *operands);
void operands_free(struct operands *operands);
void operands_run(struct operands *operands, lapack_routine *routine);

/* NULL: both runs gave the same to rounding, and wrote the same elements. */
const char *operands_difference(const struct operands *initial, const struct operands *host,
                                const struct operands *shim);

#endif

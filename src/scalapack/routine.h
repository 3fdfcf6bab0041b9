/* routine.h - the rows of routines.def, as the engine reads them: which argument stands where, and what the
 * matrices are. Pure. */
#ifndef MUBLAS_SCALAPACK_ROUTINE_H
#define MUBLAS_SCALAPACK_ROUTINE_H

#include "common/blas_call.h"

/* PARALLEL_pdsyevd, ... */
enum parallel_symbol {
#define PARALLEL_SYMBOL(name, ...) PARALLEL_##name,
#include "scalapack/symbols.def"
    PARALLEL_COUNT
};

/* Words of a row that stand for one argument each. */
#define PARALLEL_WORDS(WORD)                                                                               \
    WORD(itype) WORD(jobz) WORD(range) WORD(uplo) WORD(side) WORD(trans) WORD(transb) WORD(diag) WORD(m)   \
    WORD(n) WORD(k) WORD(nrhs) WORD(alpha) WORD(beta) WORD(vl) WORD(vu) WORD(il) WORD(iu) WORD(abstol)     \
    WORD(orfac) WORD(found) WORD(nz) WORD(w) WORD(ipiv) WORD(scale) WORD(work) WORD(lwork) WORD(rwork)     \
    WORD(lrwork) WORD(iwork) WORD(liwork) WORD(ifail) WORD(iclustr) WORD(gap) WORD(info)
enum parallel_word {
#define WORD(word) WORD_##word,
    PARALLEL_WORDS(WORD)
#undef WORD
    WORD_order, /* of a matrix by SIDE */
    WORD_COUNT,
    WORD_none = WORD_COUNT
};

enum parallel_access { PARALLEL_READ, PARALLEL_UPDATE, PARALLEL_WRITE };
enum { PARALLEL_MATRICES_MAX = 3 };

struct matrix_signature {
    char letter;   /* A, B, C or Z */
    int position;  /* of the first of its four arguments, from 1 */
    enum parallel_word rows, columns;
    enum parallel_word flag; /* WORD_uplo, a transposition, or WORD_none */
    enum parallel_access access;
};

struct signature {
    unsigned char positions[WORD_COUNT]; /* from 1; 0: the routine has no such argument */
    struct matrix_signature matrices[PARALLEL_MATRICES_MAX];
    int matrix_count;
    int arguments;
};

/* The kind says who does the work: engine.h. */
enum parallel_kind { KIND_EIGEN, KIND_FACTOR, KIND_REDUCTION, KIND_PRODUCT };

struct parallel_routine {
    const char *name; /* "pdsyevd" */
    enum blas_type type;
    enum parallel_kind kind;
    int family; /* enum lapack_family, or enum blas_family of a product */
    struct signature signature;
};

/* The row of a symbol. Static storage. Thread-safe. */
const struct parallel_routine *parallel_routine_of(enum parallel_symbol symbol);

/* Reads a row's arguments. False: it is no such row (for its test). */
bool signature_read(const char *arguments, struct signature *signature);

#endif

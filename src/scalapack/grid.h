/* grid.h - a grid of processes, which elements of a matrix each has, votes among them, and the rows of
 * routines.def, as the engine reads them: which argument stands where, and what the matrices are.
 *
 * ScaLAPACK's two-dimensional block-cyclic distribution says which elements of a matrix a process has; copies
 * go between those and the whole matrix. That is pure. Source: ScaLAPACK Users' Guide, section 4.3. All
 * indices count from 0.
 *
 * mublas calls some functions of the BLACS, and votes by them. They are found in the library that has the
 * program's ScaLAPACK, in what that depends on, or in what is loaded: MKL's ScaLAPACK names no BLACS.
 * Integers have 32 bits. */
#ifndef MUBLAS_GRID_H
#define MUBLAS_GRID_H

#include "common/blas_call.h"

#include <stdbool.h>
#include <stdint.h>

/* The place of a process in its grid. */
struct grid_place {
    int rows, columns;
    int row, column;
};

/* A submatrix of a distributed matrix. */
struct distribution {
    int64_t rows, columns;             /* of the submatrix */
    int64_t first_row, first_column;   /* its place in the matrix */
    int64_t row_block, column_block;   /* sizes of blocks */
    int row_source, column_source;     /* the process that has the first block */
    int64_t ld;                        /* elements between columns of the process's own part */
};

/* Elements of the first `count` of one dimension that process `me` of `processes` has (numroc). */
int64_t distribution_count(int64_t count, int64_t block, int me, int source, int processes);

/* The process that has element `index`, and where in its part that is. */
int distribution_owner(int64_t index, int64_t block, int source, int processes);
int64_t distribution_local(int64_t index, int64_t block, int processes);

/* Copy what the process has of the submatrix's part (triangles are of square ones) to the whole matrix at
 * `whole`, which is the submatrix alone with `whole_ld` elements between columns; or back. Other elements are
 * neither read nor written. `local` is the beginning of the process's part of the distributed matrix. */
void distribution_put(const struct distribution *distribution, const struct grid_place *place,
                      enum blas_part part, size_t element_bytes, const void *local, void *whole,
                      int64_t whole_ld);
void distribution_take(const struct distribution *distribution, const struct grid_place *place,
                       enum blas_part part, size_t element_bytes, void *local, const void *whole,
                       int64_t whole_ld);

/* Numbers that all processes of a grid compare: from 0 to this. The BLACS compare absolute values. */
enum { BLACS_NUMBER_MOST = 1 << 30 };

/* Look for the functions, once, beginning with the library that has this code. False: some are not there. */
bool blacs_find(const void *code);

/* The place of the process in the grid of a context; rows below 1: it is not in it. Local. Works with
 * integers of 64 bits, too. */
struct grid_place blacs_place(int context);

/* Each number becomes the smallest, or the largest, among all processes of the grid, which all must call. */
void blacs_smallest(int context, int32_t *numbers, int count);
void blacs_largest(int context, int32_t *numbers, int count);

/* PARALLEL_pdsyevd, ... */
enum parallel_symbol {
#define PARALLEL_SYMBOL(name, ...) PARALLEL_##name,
#include "scalapack/routines.def"
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

/* The row of a symbol, which generate_lapack.c has read. */
const struct parallel_routine *parallel_routine_of(enum parallel_symbol symbol);

#endif

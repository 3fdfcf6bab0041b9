/* call.h - one call of a parallel routine as this process sees it: its arguments by their words, its
 * matrices, and the whole matrices in the arena.
 *
 * Integers have 32 bits (parallel_call_begin refuses others). Reading changes nothing. */
#ifndef MUBLAS_SCALAPACK_CALL_H
#define MUBLAS_SCALAPACK_CALL_H

#include "interpose/lapack/call.h"
#include "scalapack/grid.h"

#include <string.h>

struct parallel_matrix {
    const struct matrix_signature *signature;
    void *local;
    struct distribution distribution; /* of the submatrix, as it is stored */
    enum blas_part part;
    enum parallel_access access;
    bool is_used;    /* the flags reference it */
    size_t offset;   /* by parallel_call_lay_out: of the whole submatrix in an arena; eigenvectors may have A's */
    unsigned char *whole; /* the whole submatrix: in the arena, or of who is alone the program's own */
    int64_t ld;
};

struct parallel_call {
    const struct parallel_routine *routine;
    const struct lapack_frame *frame;
    int context; /* handle of the BLACS */
    struct grid_place place;
    struct parallel_matrix matrices[PARALLEL_MATRICES_MAX];
    /* by parallel_call_lay_out: */
    size_t vector_offset; /* of eigenvalues or pivots in the arena */
    size_t arena_bytes;
};

static inline bool parallel_has(const struct parallel_call *call, enum parallel_word word)
{
    return call->routine->signature.positions[word] != 0;
}

static inline void *parallel_address(const struct parallel_call *call, enum parallel_word word)
{
    return frame_address(call->frame, call->routine->signature.positions[word]);
}

static inline int32_t parallel_integer(const struct parallel_call *call, enum parallel_word word)
{
    int32_t value;
    memcpy(&value, parallel_address(call, word), sizeof value);
    return value;
}

/* In capitals. */
static inline char parallel_letter(const struct parallel_call *call, enum parallel_word word)
{
    const char letter = *(const char *)parallel_address(call, word);
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

/* A real number of the routine's precision. */
double parallel_real(const struct parallel_call *call, enum parallel_word word);

/* alpha or beta; with `is_real` herk's. */
union blas_scalar parallel_scalar(const struct parallel_call *call, enum parallel_word word, bool is_real);

/* NULL: the routine has no matrix of this letter. */
struct parallel_matrix *parallel_matrix_of(struct parallel_call *call, char letter);

/* The grid's context of the first matrix's descriptor. False: it is no descriptor of a distributed matrix
 * with integers of 32 bits. */
bool parallel_call_begin(struct parallel_call *call, const struct parallel_routine *routine,
                         const struct lapack_frame *frame);

/* Does it only ask for the size of a workspace? A process may do so alone, by mistake, so this is voted on,
 * too: the host's answer takes a reduction. */
bool parallel_call_is_query(const struct parallel_call *call);

/* The largest of m, n, k and nrhs is no less than this; for products the cube root of their product. */
bool parallel_call_reaches(const struct parallel_call *call, int64_t order);

/* Read the matrices of a call from a process at call->place. False: an argument is illegal here, or a matrix
 * is distributed in a way that is not served. `is_strict`: as ScaLAPACK's own routines want it, blocks are
 * square and submatrices begin with a block; the PBLAS take any. */
bool parallel_call_read(struct parallel_call *call, bool is_strict);

/* Place the used matrices, and `vector_bytes`, in an arena behind its first `control_bytes`. The same on
 * every process. */
void parallel_call_lay_out(struct parallel_call *call, size_t control_bytes, size_t vector_bytes);

/* The whole matrices are in this arena, or with a grid of one process in the program's memory. */
void parallel_call_place(struct parallel_call *call, unsigned char *arena);
void parallel_call_place_alone(struct parallel_call *call);

/* A number from 0 to 2^30 - 1 made of all that must be equal on all processes. */
int32_t parallel_call_hash(const struct parallel_call *call, uint64_t seed);

#endif

/* arguments.h - reading the arguments of BLAS calls as reference BLAS reads them. */
#ifndef MUBLAS_ARGUMENTS_H
#define MUBLAS_ARGUMENTS_H

#include "common/blas_call.h"

#include <stdbool.h>

/* A flag in upper case, as LSAME compares. */
static inline char argument_flag(const char *flag)
{
    return *flag >= 'a' && *flag <= 'z' ? (char)(*flag - 'a' + 'A') : *flag;
}

/* Each sets its result and returns true, or returns false for an illegal flag. */
static inline bool argument_uplo(const char *flag, enum blas_uplo *uplo)
{
    char letter = argument_flag(flag);
    *uplo = letter == 'U' ? UPLO_UPPER : UPLO_LOWER;
    return letter == 'U' || letter == 'L';
}

static inline bool argument_diag(const char *flag, enum blas_diag *diag)
{
    char letter = argument_flag(flag);
    *diag = letter == 'U' ? DIAG_UNIT : DIAG_NON_UNIT;
    return letter == 'U' || letter == 'N';
}

/* For the real types conjugation is no operation: never TRANS_CONJUGATE. */
static inline bool argument_trans_real(const char *flag, enum blas_trans *trans)
{
    char letter = argument_flag(flag);
    *trans = letter == 'N' ? TRANS_NONE : TRANS_TRANSPOSE;
    return letter == 'N' || letter == 'T' || letter == 'C';
}

/* A leading dimension must be at least max(1, rows). */
static inline bool argument_ld(int64_t ld, int64_t rows)
{
    return ld >= 1 && ld >= rows;
}

static inline enum blas_part argument_part(enum blas_uplo uplo)
{
    return uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER;
}

/* Operands of the call; const is the caller's promise, struct blas_call has none. */
static inline struct blas_matrix argument_matrix(const void *pointer, int64_t rows, int64_t columns, int64_t ld,
                                                 enum blas_part part)
{
    return (struct blas_matrix){(void *)pointer, rows, columns, ld, part};
}

static inline struct blas_vector argument_vector(const void *pointer, int64_t length, int64_t increment)
{
    return (struct blas_vector){(void *)pointer, length, increment};
}

#endif

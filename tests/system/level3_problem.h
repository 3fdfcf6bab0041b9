/* level3_problem.h - a call of level 3 with its operands, and what its result should be by the definition. */
#ifndef MUBLAS_TESTS_LEVEL3_PROBLEM_H
#define MUBLAS_TESTS_LEVEL3_PROBLEM_H

#include "element.h"

enum { MOST = 44, ELEMENTS = MOST * (MOST + 4) };
enum routine { GEMM, SYMM, HEMM, SYRK, HERK, SYR2K, HER2K, TRMM, TRSM, ROUTINES };

/* One call; the output is always C, which is the B of trmm and trsm. */
struct problem {
    enum routine routine;
    char type, layout, side, uplo, trans, trans_b, diag;
    int64_t m, n, k, lda, ldb, ldc;
    double alpha[2], beta[2];
};

struct matrix {
    double memory[2 * ELEMENTS], before[2 * ELEMENTS];
};
extern struct matrix matrix_a, matrix_b, matrix_c;

/* The place of element 0: one real number further on, if that is no multiple of an element. */
extern int shift;

static inline double *data_of(struct matrix *matrix)
{
    return matrix->memory + shift;
}

static inline const double *data_before(const struct matrix *matrix)
{
    return matrix->before + shift;
}

static inline bool is_update(enum routine routine) /* of a triangle by products of rank k */
{
    return routine >= SYRK && routine <= HER2K;
}

static inline bool is_hermitian(enum routine routine)
{
    return routine == HEMM || routine == HERK || routine == HER2K;
}

static inline bool is_in_place(enum routine routine)
{
    return routine == TRMM || routine == TRSM;
}

static inline bool has_triangle(enum routine routine) /* A is one */
{
    return routine == SYMM || routine == HEMM || is_in_place(routine);
}

static inline bool in_triangle(const struct problem *of, int64_t i, int64_t j)
{
    return of->uplo == 'U' ? i <= j : i >= j;
}

static inline int64_t order_of(const struct problem *of)
{
    return of->side == 'L' ? of->m : of->n;
}

static inline bool beta_is_zero(const struct problem *of)
{
    return of->beta[0] == 0 && of->beta[1] == 0;
}

static inline int64_t c_rows(const struct problem *of)
{
    return is_update(of->routine) ? of->n : of->m;
}

static inline bool is_written(const struct problem *of, int64_t i, int64_t j)
{
    return !is_update(of->routine) || in_triangle(of, i, j);
}

/* Check C, then put back what was there: what the routine must not write stays different. */
bool level3_results_are_right(const struct problem *of);

#endif

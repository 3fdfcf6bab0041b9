/* unseen.h - what the programs share whose memory is written unseen: matrices, and calls on them. */
#ifndef MUBLAS_TESTS_UNSEEN_H
#define MUBLAS_TESTS_UNSEEN_H

#include "blas_program.h"

#include <stdio.h>
#include <sys/mman.h>

enum { SIZE = 96, LARGE = 1500, ROUNDS = 3, SKIPPED = 77 };

static int wrong; /* how many lines say so */

static inline void check(bool good, const char *what, int round)
{
    if (good)
        return;
    printf("wrong: %s, round %d\n", what, round);
    wrong++;
}

static inline int skip(const char *why)
{
    printf("%s\n", why);
    return SKIPPED;
}

static inline size_t bytes_of(int n)
{
    return (size_t)n * (size_t)n * sizeof(double);
}

static inline void fill(double *matrix, int n, int number)
{
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        matrix[i] = (double)((i * 37 + (size_t)number * 1009) % 251) / 128 - 1;
}

static inline double *map_matrix(int n, int flags, int file)
{
    double *matrix = mmap(NULL, bytes_of(n), PROT_READ | PROT_WRITE, flags, file, 0);
    if (matrix == MAP_FAILED)
        abort();
    return matrix;
}

static inline double *new_matrix(int n)
{
    double *matrix = map_matrix(n, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    fill(matrix, n, 0);
    return matrix;
}

static inline void check_calls(const double *matrix, int n, const char *when, int round)
{
    for (int routine = 0; routine < (n == LARGE ? DGEMV_T : SSYMV); routine++) /* checking costs most */
        check(call_is_right((enum routine_under_test)routine, matrix, n, n, n, 1.5, 0.5, round), when, round);
}

#endif

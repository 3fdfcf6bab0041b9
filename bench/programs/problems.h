/* problems.h - the matrices that the programs solve for, here and through cuSOLVER. */
#ifndef MUBLAS_BENCH_PROBLEMS_H
#define MUBLAS_BENCH_PROBLEMS_H

#include "matrix.h"

enum {
    RIGHT_HAND_SIDES = 16,
    TALL = 4,   /* rows of a least squares problem for each column */
    PART = 8,   /* dsyevr: one of so many eigenpairs, the lowest */
    TENTH = 10, /* the same of zhegvx */
};

static inline struct matrix problem_symmetric(int n)
{
    return (struct matrix){.rows = (size_t)n, .columns = (size_t)n, .seed = 1, .hermitian = true};
}

static inline struct matrix problem_hermitian(int n)
{
    return (struct matrix){
        .rows = (size_t)n, .columns = (size_t)n, .seed = 2, .hermitian = true, .complex = true};
}

/* Diagonally dominant, so positive definite. */
static inline struct matrix problem_definite(int n)
{
    return (struct matrix){
        .rows = (size_t)n, .columns = (size_t)n, .seed = 4, .hermitian = true, .diagonal = n};
}

/* The same with complex elements; beside problem_hermitian, and diagonally dominant too. */
static inline struct matrix problem_definite_hermitian(int n)
{
    return (struct matrix){.rows = (size_t)n,
                           .columns = (size_t)n,
                           .seed = 8,
                           .hermitian = true,
                           .complex = true,
                           .diagonal = n};
}

static inline struct matrix problem_general(int rows, int columns)
{
    return (struct matrix){.rows = (size_t)rows, .columns = (size_t)columns, .seed = 5};
}

/* With a dominant eigenvalue, n/2. */
static inline struct matrix problem_dominant(int n)
{
    return (struct matrix){.rows = (size_t)n, .columns = (size_t)n, .seed = 6, .shift = 0.5};
}

static inline struct matrix problem_right_hand_sides(int rows)
{
    return (struct matrix){.rows = (size_t)rows, .columns = RIGHT_HAND_SIDES, .seed = 7};
}

/* One of `parts`, at least one. */
static inline int part_of(int n, int parts)
{
    return n < parts ? 1 : n / parts;
}

#endif

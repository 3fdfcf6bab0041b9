/* route_arguments.h - what the kernels of LAPACK routes are given. Plain C, shared by src/lapack, the kernels
 * and the emulated driver. */
#ifndef MUBLAS_KERNEL_ROUTE_ARGUMENTS_H
#define MUBLAS_KERNEL_ROUTE_ARGUMENTS_H

#include <stdint.h>

/* The gate where the blocks of a cooperative launch wait for each other: in memory of the device, made anew
 * before each launch. */
struct grid_gate {
    unsigned arrived; /* blocks, at all barriers of the grid so far */
    /* NULL, or a word of pinned memory: once the host makes it other than 0 no block waits any longer. */
    const unsigned *abort;
};

enum { PART_PIECE = 4096 }; /* units of a column that a block has at a time */

/* One part of one or two column-major matrices, by words of 32 bits. Rows and leading dimensions count units
 * of `unit_words`; a step of the triangle, one element, is `element_units` of them. The distance between two
 * columns is so much more than that between the two before as `bend` says: in packed triangles one element, or
 * one less. */
struct part_arguments {
    const void *from;
    void *to;          /* of part_copy */
    unsigned *largest; /* of part_largest: a number for each block */
    int64_t from_ld, to_ld, from_bend, to_bend, rows, columns;
    int64_t unit_words, element_units;
    int64_t part; /* enum blas_part */
};

/* Powers of two that bring a matrix's numbers to moduli that no eigensolver minds, and results back: two
 * each, one after the other, since their product need not be a number of the type. */
struct part_scale {
    double there[2], back[2]; /* where the matrix is not finite back is NaN */
    int32_t is_needed, is_finite;
};

/* Choose them by the part's largest number, as part_largest left it. */
struct scale_choice_arguments {
    const unsigned *largest;
    struct part_scale *scale;
    int64_t count;
    int32_t is_single, exponent_least, exponent_most; /* of the largest number, where no scale is needed */
};

/* Multiply the part, `to` of it, by `there`; where it is not finite it becomes zero. */
struct scaling_arguments {
    struct part_arguments part;
    const struct part_scale *scale;
};

/* Multiply vectors of real numbers by `back`; INFO becomes -1 where the matrix was not finite. */
enum { SCALED_VECTORS = 4 };
struct scaling_back_arguments {
    void *vectors[SCALED_VECTORS];
    int64_t counts[SCALED_VECTORS], steps[SCALED_VECTORS];
    const struct part_scale *scale;
    int *info; /* or NULL */
};

/* Which of n ascending eigenvalues are wanted: those in (above, up_to], or `count` from `first` on. */
struct range_arguments {
    const void *values;
    int64_t n, first, count;
    double above, up_to;
    int32_t is_interval, is_single;
    int *found; /* two: the first, from 0, and how many */
    int *m;     /* how many, once more */
};

/* They, and their vectors, a matrix's columns, move to the front. Columns are counted in words of 32 bits. */
struct range_move_arguments {
    unsigned *values, *vectors; /* no vectors: rows is 0 */
    int64_t value_words, rows, ld;
    const int *found;
};

/* The strict other triangle becomes the conjugate of the one that is `lower`, or upper. */
struct square_arguments {
    void *a;
    int64_t ld, order, lower;
};

/* Complex elements with these real parts. */
struct widening_arguments {
    const void *from;
    void *to;
    int64_t from_ld, to_ld, rows, columns;
};

#endif

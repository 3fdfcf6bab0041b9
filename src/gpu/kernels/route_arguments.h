/* route_arguments.h - what the kernels of LAPACK routes are given. Plain C, shared by src/lapack, the kernels
 * and the emulated driver. */
#ifndef MUBLAS_KERNEL_ROUTE_ARGUMENTS_H
#define MUBLAS_KERNEL_ROUTE_ARGUMENTS_H

#include <stdint.h>

/* Where the blocks of a cooperative launch wait for each other: in memory of the device, made anew before
 * each launch. */
struct grid_gate {
    unsigned arrived; /* blocks, at all barriers of the grid so far */
    /* NULL, or a word of pinned memory: once the host makes it other than 0 no block waits any longer. */
    const unsigned *abort;
};

enum { PART_PIECE = 4096 }; /* units of a column that a block has at a time */

/* One part of one or two column-major matrices, by words of 32 bits. Rows and leading dimensions count units
 * of `unit_words`; a step of the triangle, one element, is `element_units` of them. */
struct part_arguments {
    const void *from;
    void *to;          /* of part_copy */
    unsigned *largest; /* of part_largest: a number for each block */
    int64_t from_ld, to_ld, rows, columns;
    int64_t unit_words, element_units;
    int64_t part; /* enum blas_part */
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

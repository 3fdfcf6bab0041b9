/* distribution.h - ScaLAPACK's two-dimensional block-cyclic distribution: which elements of a matrix a
 * process has, and copies between those and the whole matrix. Pure.
 *
 * Source: ScaLAPACK Users' Guide, section 4.3. All indices count from 0. */
#ifndef MUBLAS_SCALAPACK_DISTRIBUTION_H
#define MUBLAS_SCALAPACK_DISTRIBUTION_H

#include "common/blas_call.h"

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

#endif

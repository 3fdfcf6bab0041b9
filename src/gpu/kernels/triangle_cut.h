/* triangle_cut.h - a lower triangle of square tiles, row by row in groups of GROUP columns, cut into runs of
 * equal length, one for each warp of all parts.
 *
 * Where a run ends within a row of tiles, the row's sum is in several pieces: piece `run + row` is the run's
 * of that row, so that pieces of a row follow each other and none has two places. */
#ifndef MUBLAS_TRIANGLE_CUT_H
#define MUBLAS_TRIANGLE_CUT_H

#include "gpu/kernels/tridiagonal/tridiagonal.h"

template <int GROUP> struct triangle_cut {
    static constexpr int EACH = TRIDIAGONAL_SEGMENT / GROUP; /* groups in a tile */
    int rows, runs;
    int64_t groups;

    DEVICE_METHOD static int64_t row_begin(int row) { return (int64_t)EACH * row * (row + 1) / 2; }
    DEVICE_METHOD static int row_of(int64_t group)
    {
        int row = (int)((root_of(1 + 8 * (float)group / EACH) - 1) / 2);
        while (row_begin(row + 1) <= group)
            row++;
        while (row_begin(row) > group)
            row--;
        return row;
    }
    DEVICE_METHOD int64_t run_begin(int run) const { return run * groups / runs; }
    DEVICE_METHOD int run_of(int64_t group) const { return (int)(((group + 1) * runs - 1) / groups); }
};

/* No run is empty. */
template <int GROUP> DEVICE_FUNCTION triangle_cut<GROUP> triangle_cut_of(int rows)
{
    constexpr int most = TRIDIAGONAL_PARTS * BLOCK_WARPS;
    const int64_t groups = triangle_cut<GROUP>::row_begin(rows);
    return {rows, groups < most ? (int)groups : most, groups};
}

#endif

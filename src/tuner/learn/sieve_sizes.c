#include "tuner/learn/sieve_sizes.h"

#include "tuner/learn/size_grid.h"

#include <math.h>

/* In its place, if it is not there. */
static size_t add(int64_t size, int64_t *sizes, size_t count)
{
    size_t place = count;
    while (place > 0 && sizes[place - 1] >= size)
        place--;
    if (place < count && sizes[place] == size)
        return count;
    for (size_t i = count; i > place; i--)
        sizes[i] = sizes[i - 1];
    sizes[place] = size;
    return count + 1;
}

/* The most rows of tiles whose lower triangle is no more than these. */
static int64_t rows_of(int tiles)
{
    return (int64_t)((sqrt(8.0 * tiles + 1) - 1) / 2);
}

/* The largest of the grid that is no larger, if there is one. */
static size_t add_at_most(int64_t size, const int64_t *grid, size_t grid_count, int64_t *sizes, size_t count)
{
    size_t below = grid_count;
    while (below > 0 && grid[below - 1] > size)
        below--;
    return below > 0 ? add(grid[below - 1], sizes, count) : count;
}

size_t sieve_sizes(int class, const int64_t *grid, size_t count, size_t even, int multiprocessors,
                   int64_t sizes[SIEVE_SIZES_MAX])
{
    const double least = (double)grid[0], ratio = (double)grid[count - 1] / least;
    size_t found = 0;
    for (size_t i = 0; i < even; i++) {
        const double ideal = least * pow(ratio, (double)i / (double)(even - 1));
        found = add(grid[size_grid_nearest(grid, count, llround(ideal))], sizes, found);
    }
    if (!tuning_family_is_triangle(tuning_class_family(class)))
        return found;
    for (int edge = 0; edge < SHAPE_EDGES; edge++)
        for (int waves = 1; waves <= SIEVE_WAVES; waves++)
            found = add_at_most(rows_of(waves * multiprocessors) * shape_edges[edge] / TUNING_UNIT, grid,
                                count, sizes, found);
    return found;
}

/* Where shapes are sieved: evenly, and where a triangle's tiles just fit on a device. */
#include "tuner/learn/size_grid.h"

#include "tap.h"

#include <stdbool.h>

static int64_t grid[SIZE_GRID_MAX];

static int class_of(enum blas_family family, enum blas_type type)
{
    const struct blas_call call = {.family = family, .type = type, .m = 1000, .n = 1000};
    return tuning_class_of(&call);
}

static bool has(const int64_t *sizes, size_t count, int64_t size)
{
    for (size_t i = 0; i < count; i++)
        if (sizes[i] == size)
            return true;
    return false;
}

static bool ascends(const int64_t *sizes, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (sizes[i] <= sizes[i - 1])
            return false;
    return true;
}

/* By counting: the most rows of tiles of which there are no more than so many. */
static int64_t most_rows(int64_t tiles)
{
    int64_t rows = 0, used = 0;
    while (used + rows + 1 <= tiles)
        used += ++rows;
    return rows;
}

/* Are the largest of the grid up to the limit among them, if it has any there? */
static bool has_last_below(const int64_t *sizes, size_t count, int64_t limit, size_t grid_count)
{
    int64_t last = 0;
    for (size_t i = 0; i < grid_count && grid[i] <= limit; i++)
        last = grid[i];
    return last == 0 || has(sizes, count, last);
}

static void test_even(void)
{
    int64_t sizes[SIEVE_SIZES_MAX];
    const size_t grid_count = size_grid((struct size_range){4, 512}, SIZE_GRID_MAX, grid);
    const int64_t expected[] = {4, 8, 16, 32, 64, 128, 255, 512};
    const size_t count = sieve_sizes(class_of(FAMILY_GEMV, TYPE_D), grid, grid_count, 132, sizes);
    bool good = count == 8;
    for (size_t i = 0; good && i < count; i++)
        good = sizes[i] >= expected[i] - 4 && sizes[i] <= expected[i] + 4 && has(grid, grid_count, sizes[i]);
    tap_ok(good && sizes[0] == 4 && sizes[7] == 512, "gemv: evenly, both ends");
}

static void test_waves(enum blas_family family, enum blas_type type, int multiprocessors, const char *what)
{
    int64_t sizes[SIEVE_SIZES_MAX];
    const size_t grid_count = size_grid((struct size_range){4, 512}, SIZE_GRID_MAX, grid);
    const size_t count = sieve_sizes(class_of(family, type), grid, grid_count, multiprocessors,
                                     sizes);
    bool good = ascends(sizes, count) && sizes[0] == 4 && sizes[count - 1] == 512;
    for (int waves = 1; waves <= 2; waves++)
        for (int edge = 64; edge <= 256; edge *= 2)
            good = good && has_last_below(sizes, count, most_rows(waves * multiprocessors) * (edge / 32),
                                          grid_count);
    tap_ok(good, "%s on %d multiprocessors: where tiles of each edge just fit, too", what, multiprocessors);
}

static void test_single_window(void)
{
    int64_t sizes[SIEVE_SIZES_MAX];
    const size_t grid_count = size_grid((struct size_range){4, 512}, SIZE_GRID_MAX, grid);
    const size_t count = sieve_sizes(class_of(FAMILY_SYMV, TYPE_S), grid, grid_count, 132, sizes);
    tap_ok(has(sizes, count, 88) && has(sizes, count, 60) && has(sizes, count, 44),
           "an H100: 22 rows of 128 make 253 tiles, 15 make 120, 22 of 64 again 253");
}

static void test_small_grids(void)
{
    int64_t sizes[SIEVE_SIZES_MAX];
    const size_t grid_count = size_grid((struct size_range){4, 9}, SIZE_GRID_MAX, grid);
    const size_t count = sieve_sizes(class_of(FAMILY_SYMV, TYPE_D), grid, grid_count, 132, sizes);
    tap_ok(grid_count == 6 && count == 6 && ascends(sizes, count), "a grid of six sizes: all of them, once");
    grid[0] = 200;
    tap_ok(sieve_sizes(class_of(FAMILY_HEMV, TYPE_C), grid, 1, 132, sizes) == 1 && sizes[0] == 200,
           "a grid of one size beyond most of the windows");
}

int main(void)
{
    test_even();
    test_waves(FAMILY_SYMV, TYPE_S, 132, "symv");
    test_waves(FAMILY_HEMV, TYPE_Z, 132, "hemv");
    test_waves(FAMILY_SYMV, TYPE_W, 8, "symv in double-double");
    test_waves(FAMILY_SYMV, TYPE_D, 1, "symv");
    test_waves(FAMILY_TRMV, TYPE_C, 108, "trmv");
    test_single_window();
    test_small_grids();
    return tap_done();
}

/* Which shapes of a field matter, on planted times. */
#include "tuner/shape_cover.h"
#include "tap.h"

#include <math.h>
#include <string.h>

enum { SHAPES = 5, SIZES = 20 };

static double seconds[SHAPES * SIZE_GRID_MAX];
static struct shape_terms terms[(SHAPES + 1) * SIZE_GRID_MAX];
static struct launch_shape shapes[SHAPES];
static struct sampled_times times;

static double *of(size_t shape, size_t size)
{
    return &seconds[shape * SIZE_GRID_MAX + size];
}

/* 0 is as fast as any but at the upper half, 3 there; 1 and 2 are 1% behind them; 4 cannot but at one size, where
 * it is half as fast again as the others. Every third size was not sampled. */
static void plant(void)
{
    times = (struct sampled_times){.sizes_count = SIZES, .shape_count = SHAPES, .shapes = shapes,
                                   .seconds = seconds, .terms = terms};
    memset(seconds, 0, sizeof seconds);
    for (size_t i = 0; i < SIZES; i++) {
        const bool upper = i >= SIZES / 2;
        times.sizes[i] = (int64_t)i + 4;
        for (size_t shape = 0; shape <= SHAPES; shape++)
            terms[shape * SIZE_GRID_MAX + i].of[1] = (double)(100 * shape + i);
        times.built_in[i] = i % 3 == 2 ? 0 : 2;
        if (i % 3 == 2)
            continue;
        *of(0, i) = upper ? 1.3 : 1, *of(1, i) = upper ? 1.31 : 1.01;
        *of(2, i) = upper ? 1.01 : 1.3, *of(3, i) = upper ? 1 : 1.3;
        *of(4, i) = i == 4 ? 1.5 : HUGE_VAL;
    }
    for (unsigned shape = 0; shape < SHAPES; shape++)
        shapes[shape] = (struct launch_shape){.edge = 64 + shape};
}

static void test_cover(void)
{
    bool kept[SHAPES];
    plant();
    size_t count = shape_cover(&times, 0.0003, kept);
    tap_ok(count == 2 && kept[0] && kept[3], "the two that together are the fastest everywhere are kept");
    count = shape_cover(&times, 0.2, kept);
    tap_ok(count == 1, "one where less is enough");
    for (size_t i = 0; i < SIZES; i++)
        times.built_in[i] *= 0.5;
    count = shape_cover(&times, 0.0003, kept);
    tap_ok(count == 0 && !kept[0], "none where what is built in is the fastest");
    for (size_t i = 0; i < SIZES; i++)
        times.built_in[i] *= 0.5;
    *of(4, 4) = 0.1;
    count = shape_cover(&times, 0.0003, kept);
    tap_ok(count == 1 && kept[4], "and one that is good at a single size for that size");
}

static void test_keep(void)
{
    const bool kept[SHAPES] = {true, false, false, true, false};
    plant();
    shape_cover_keep(&times, shapes, terms, kept);
    tap_ok(times.shape_count == 2 && shapes[0].edge == 64 && shapes[1].edge == 67, "the others are forgotten");
    tap_ok(*of(0, 1) == 1 && *of(1, 1) == 1.3 && *of(1, SIZES - 1) == 1, "times stay with their shapes");
    tap_ok(terms[SIZE_GRID_MAX + 7].of[1] == 307 && terms[2 * SIZE_GRID_MAX + 7].of[1] == 507,
           "and so do terms, those of what is built in behind them");
}

int main(void)
{
    test_cover();
    test_keep();
    return tap_done();
}

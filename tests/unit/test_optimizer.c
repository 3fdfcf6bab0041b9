/* Figure 3 of paper 000: the candidates that table 4 counts with the recipes of table 3,
 * and every choice against a brute-force walk of another make. */
#include "tuner/online/tuning_class.h"
#include "paper_devices.h"
#include "tap.h"
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>

/* Tx steps: four floats of 128 bytes, or whole warps where each has a row. */
static const struct optimizer_space flat = {8, 1024, true, 0}, general = {8, 1024, false, 0},
                                    warps = {32, 1024, true, 0};

/* Counts what it is asked for; without items nothing is ever better, and the walk sees all candidates. */
static int64_t no_items(const void *problem, struct block_shape block)
{
    (void)block;
    ++**(unsigned *const *)problem;
    return 0;
}

static unsigned candidates_of(const struct optimizer_space *space, const struct occupancy_recipe *recipe)
{
    unsigned count = 0, *const counter = &count;
    const struct occupancy_figures figures = {.multiprocessors = 1, .warps = 64, .blocks = 32};
    struct optimizer_best best = {{0, 0}, {0, 0, 0}};
    optimizer_walk(space, recipe, &figures, no_items, &counter, &best);
    return count;
}

struct counted {
    const char *what;
    const struct optimizer_space *space;
    struct occupancy_recipe recipe; /* table 3 */
    unsigned candidates;            /* table 4 */
};

/* The printed recipe and 1024 threads give the printed count. */
static const struct counted determined[] = {
    {"any, SAXPY", &flat, {0, 0, 0, 0}, 128},
    {"GTX 580, SAXPY", &flat, {0.33, 0, 40, 0}, 124},
    {"K20c, SAXPY", &flat, {0.49, 0, 40, 0}, 124},
    {"K20c, SGEMV-T", &warps, {0.49, 0, 0, 0}, 32},
    {"K20c, STRMV-LNN", &general, {0.68, 0.24, 120, 6.0}, 524},
    {"GTX 980, SAXPY", &flat, {0, 0.09, 24, 0}, 126},
    {"GTX 980, SGEMV-N", &general, {0, 0, 24, 16.0}, 642},
    {"GTX 980, SGEMV-T", &warps, {0, 0, 0, 0}, 32},
    {"GTX 980, STRMV-LNN", &general, {0.68, 0, 40, 10.5}, 593},
};

static void test_determined_counts(void)
{
    for (size_t i = 0; i < sizeof determined / sizeof *determined; i++) {
        const unsigned count = candidates_of(determined[i].space, &determined[i].recipe);
        tap_ok(count == determined[i].candidates, "%s: %u candidates", determined[i].what, count);
    }
}

/* The paper's data leave these open. */
static void test_open_counts(void)
{
    const struct occupancy_recipe none = {0, 0, 0, 0}, gemv = {0.33, 0, 40, 1.9};
    tap_ok(candidates_of(&general, &none) == 645, "without a recipe 645, where the paper prints 654");
    bool found = false;
    for (double ratio = 0.45; ratio < 0.55; ratio += 0.001) {
        const struct occupancy_recipe recipe = {0.6, 0.12, 248, ratio};
        found = found || candidates_of(&general, &recipe) == 338;
    }
    tap_ok(found, "K20c, SGEMV-N: 338 with a Ty/Tx that is printed as 0.5");
    unsigned solutions = 0, solution = 0;
    for (unsigned threads = 32; threads <= 1024; threads += 32) {
        const struct optimizer_space space = {8, threads, false, 0};
        if (candidates_of(&space, &gemv) == 459)
            solution = threads, solutions++;
    }
    const struct kernel_resources resources = {34, 0};
    tap_ok(solutions == 1 && solution == occupancy_most_threads(&gtx580, &resources),
           "GTX 580, SGEMV-N: 459 with %u threads, what 34 registers leave, and with nothing else", solution);
    const struct occupancy_recipe printed = {0.45, 0, 104, 2.0}, beside = {0.45, 0, 88, 2.0};
    tap_ok(candidates_of(&general, &printed) == 466 && candidates_of(&general, &beside) == 474,
           "GTX 580, STRMV-LNN: the printed 474 is ThMin 88, the value of the column before it");
    const struct occupancy_recipe transposed = {0.49, 0, 88, 0}, before = {0.33, 0, 40, 0};
    tap_ok(candidates_of(&warps, &transposed) == 30 && candidates_of(&warps, &before) == 31,
           "GTX 580, SGEMV-T: the printed 31 is ThMin 40, likewise");
}

/* Work items as the paper's kernels have them. */
static int64_t rows_of_blocks(const void *problem, struct block_shape block)
{
    const int64_t rows = *(const int64_t *)problem;
    return (rows + 4 * block.x - 1) / (4 * block.x);
}

static int64_t by_both(const void *problem, struct block_shape block)
{
    return *(const int64_t *)problem / (block.x * block.y) + 1;
}

/* Figure 3 once more, straight from the page but for the candidates: all of them in a row,
 * sorted, nothing remembered, nothing cut short. */
struct candidate {
    unsigned x, y;
};

static int large_x_first(const void *one, const void *other)
{
    const struct candidate *a = one, *b = other;
    if (a->x != b->x)
        return a->x > b->x ? -1 : 1;
    return (a->y > b->y) - (a->y < b->y);
}

static struct candidate brute_force(const struct device_limits *limits,
                                    const struct kernel_resources *resources,
                                    const struct optimizer_space *space,
                                    const struct occupancy_recipe *recipe, optimizer_items *items,
                                    const int64_t *size)
{
    static struct candidate list[1024 * 8];
    size_t count = 0;
    const unsigned least = recipe->threads_min ? recipe->threads_min : space->step;
    for (unsigned y = 1; y <= 1024; y++)
        for (unsigned x = space->step; x * y <= space->threads_max; x += space->step)
            if (x * y >= least && (!space->one_dimensional || y == 1) &&
                (recipe->ty_per_tx_max == 0 || space->one_dimensional || y <= recipe->ty_per_tx_max * x))
                list[count++] = (struct candidate){x, y};
    qsort(list, count, sizeof *list, large_x_first);
    struct candidate optimal = {0, 0};
    double warp_best = 0, block_best = 0, grid_best = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned threads = list[i].x * list[i].y;
        const double active = occupancy_active_blocks(limits, resources, threads);
        const double blocks = (double)items(size, (struct block_shape){list[i].x, list[i].y});
        const double slots = active * limits->multiprocessors;
        double rounded = slots; /* up to a multiple */
        while (slots > 0 && rounded < blocks)
            rounded += slots;
        const double warp = active * ((threads + 31) / 32) / limits->warps, block = active / limits->blocks,
                     grid = slots > 0 ? blocks / rounded : 0;
        const double warp_bound = warp_best < recipe->warp_min ? warp_best : recipe->warp_min;
        const double block_bound = block_best < recipe->block_min ? block_best : recipe->block_min;
        if (grid > grid_best && warp > warp_bound && block > block_bound)
            optimal = list[i], warp_best = warp, block_best = block, grid_best = grid;
    }
    return optimal;
}

static void compare(const char *name, const struct device_limits *limits, int registers,
                    const struct optimizer_space *space, const struct occupancy_recipe *recipe,
                    optimizer_items *items)
{
    const struct kernel_resources resources = {registers, 2048};
    const struct occupancy_figures figures = occupancy_figures_of(limits, &resources);
    unsigned different = 0, choices = 0, candidates = 0;
    struct block_shape last = {0, 0};
    for (int64_t size = 256; size <= 20480; size += 256) { /* those of figures 8 to 11, and on */
        struct optimizer_best best = {{0, 0}, {0, 0, 0}};
        optimizer_walk(space, recipe, &figures, items, &size, &best);
        const struct candidate wanted = brute_force(limits, &resources, space, recipe, items, &size);
        different += best.block.x != wanted.x || best.block.y != wanted.y;
        choices += best.block.x != last.x || best.block.y != last.y;
        candidates += best.block.x == 0;
        last = best.block;
    }
    tap_ok(different == 0 && candidates == 0,
           "%s, %d registers: 80 sizes as by brute force, %u changes of shape", name, registers, choices);
}

static void test_choices(void)
{
    const struct occupancy_recipe recipe_580 = {0.33, 0, 40, 1.9}, recipe_k20 = {0.68, 0.24, 120, 6.0},
                                  recipe_980 = {0.68, 0, 40, 10.5}, none = {0, 0, 0, 0},
                                  only_blocks = {0, 0.09, 24, 0};
    const struct optimizer_space narrow = {8, 960, false, 0};
    compare("GTX 580, SGEMV-N", &gtx580, 34, &narrow, &recipe_580, rows_of_blocks);
    compare("K20c, STRMV-LNN", &k20c, 40, &general, &recipe_k20, rows_of_blocks);
    compare("GTX 980, STRMV-LNN", &gtx980, 40, &general, &recipe_980, rows_of_blocks);
    compare("GTX 980, SAXPY", &gtx980, 16, &flat, &only_blocks, rows_of_blocks);
    compare("GTX 980, no recipe", &gtx980, 32, &general, &none, rows_of_blocks);
    compare("K20c, no recipe", &k20c, 64, &warps, &none, rows_of_blocks);
    compare("H100, items by both", &h100, 48, &general, &recipe_k20, by_both);
}

static uint64_t random_state;

static unsigned draw(unsigned below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(random_state >> 33) % below;
}

/* Spaces and recipes by chance, walks that find nothing among them. */
static void test_random(uint64_t seed)
{
    const struct device_limits *devices[] = {&gtx580, &k20c, &gtx980, &h100};
    unsigned different = 0, empty = 0;
    random_state = seed;
    for (int round = 0; round < 400; round++) {
        const struct device_limits *limits = devices[draw(4)];
        const struct kernel_resources resources = {1 + (int)draw(100), draw(20000)};
        const struct optimizer_space space = {8u << draw(3), 64 + 32 * draw(31), draw(3) == 0, 0};
        const struct occupancy_recipe recipe = {draw(100) / 100.0, draw(2) * draw(50) / 100.0, draw(300),
                                                draw(2) * (1 + draw(60)) / 10.0};
        const struct occupancy_figures figures = occupancy_figures_of(limits, &resources);
        const int64_t size = 1 + draw(30000);
        struct optimizer_best best = {{0, 0}, {0, 0, 0}};
        const bool found = optimizer_walk(&space, &recipe, &figures, by_both, &size, &best);
        const struct candidate wanted = brute_force(limits, &resources, &space, &recipe, by_both, &size);
        different += best.block.x != wanted.x || best.block.y != wanted.y || found != (wanted.x > 0);
        empty += !found;
    }
    tap_ok(different == 0 && empty > 0 && empty < 300,
           "400 random walks as by brute force, %u find nothing (seed %llu)", empty,
           (unsigned long long)seed);
}

static int64_t always_the_same(const void *problem, struct block_shape block)
{
    (void)block;
    return *(const int64_t *)problem;
}

/* Problems whose items do not depend on the block may be given without a function. */
static void test_constant_items(void)
{
    unsigned different = 0, empty = 0;
    for (int round = 0; round < 1000; round++) {
        const struct kernel_resources resources = {1 + (int)draw(128), draw(30000)};
        const struct optimizer_space space = {2u << draw(5), 64 + 32 * draw(31), draw(4) == 0, draw(4)};
        const struct occupancy_recipe recipe = {draw(80) / 100.0, draw(2) * draw(50) / 100.0, draw(300),
                                                draw(2) * (1 + draw(60)) / 10.0};
        const struct occupancy_figures figures = occupancy_figures_of(&h100, &resources);
        const int64_t items = 1 + draw(6000);
        struct optimizer_best quick = {{0, 0}, {0, 0, 0}}, whole = quick;
        optimizer_walk(&space, &recipe, &figures, NULL, &items, &quick);
        empty += !optimizer_walk(&space, &recipe, &figures, always_the_same, &items, &whole);
        different += quick.block.x != whole.block.x || quick.block.y != whole.block.y;
    }
    tap_ok(different == 0 && empty < 800, "1000 walks with constant items choose the same, %u nothing",
           empty);
}

/* A walk that goes on keeps only what is better than before. */
static void test_going_on(void)
{
    const struct kernel_resources resources = {32, 0};
    const struct occupancy_figures figures = occupancy_figures_of(&gtx980, &resources);
    const struct occupancy_recipe none = {0, 0, 0, 0};
    const int64_t size = 5000;
    struct optimizer_best best = {{0, 0}, {0, 0, 0}};
    tap_ok(optimizer_walk(&general, &none, &figures, rows_of_blocks, &size, &best),
           "a first walk finds something");
    const struct optimizer_best first = best;
    tap_ok(!optimizer_walk(&general, &none, &figures, rows_of_blocks, &size, &best) &&
               best.block.x == first.block.x && best.block.y == first.block.y,
           "the same once more finds nothing better");
}

UNIT_TEST(test_optimizer)
{
    test_determined_counts();
    test_open_counts();
    test_choices();
    test_random(count > 1 ? strtoull(arguments[1], NULL, 0) : 20261122);
    test_constant_items();
    test_going_on();
    return tap_done();
}

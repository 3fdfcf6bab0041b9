/* The pure parts of the search for launch shapes: sizes, shapes, the analyzer, rules from samples. */
#include "tuner/learn/class_tuning.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>
#include <string.h>

static struct shape_figures figures_of_h100(void)
{
    struct shape_figures figures;
    memset(&figures, 0, sizeof figures);
    for (int i = 0; i < SHAPE_EDGES; i++) {
        figures.of_edge[i] = (struct occupancy_figures){.multiprocessors = 132, .warps = 64, .blocks = 32};
        for (int warps = 1; warps <= 16; warps++)
            figures.of_edge[i].active[warps] = (unsigned char)(warps < 2 ? 32 : 64 / warps);
    }
    return figures;
}

static void test_sizes(void)
{
    int64_t sizes[SIZE_GRID_MAX];
    const int dgemv = tuning_class_parse("dgemv_none");
    const struct size_range range = size_range_of(dgemv, TUNING_TALL, (size_t)1 << 30);
    const struct blas_call largest = tuning_class_call_at(dgemv, TUNING_TALL, range.most);
    const struct blas_call larger = tuning_class_call_at(dgemv, TUNING_TALL, range.most * 17 / 15);
    tap_ok(largest.a.ld * largest.a.columns * 8 <= 1 << 30 && larger.a.ld * larger.a.columns * 8 > 1 << 30,
           "the largest tall matrix of %lld x %lld just fits a GiB", (long long)largest.m,
           (long long)largest.n);
    const struct size_range none = size_range_of(dgemv, TUNING_SQUARE, 1000);
    tap_ok(none.most < none.least, "nothing fits a kilobyte");
    const size_t count = size_grid((struct size_range){4, 512}, SIZE_GRID_MAX, sizes);
    bool ascending = sizes[0] == 4 && sizes[count - 1] == 512;
    for (size_t i = 1; i < count; i++)
        ascending = ascending && sizes[i] > sizes[i - 1];
    tap_ok(ascending && count > 40, "%zu sizes ascend from end to end", count);
    tap_ok(sizes[SIZE_GRID_ALL - 4] == SIZE_GRID_ALL && sizes[SIZE_GRID_ALL - 3] > SIZE_GRID_ALL + 1,
           "all up to %d are among them, not all beyond", SIZE_GRID_ALL);
    tap_ok(size_grid((struct size_range){4, SIZE_GRID_ALL}, SIZE_GRID_MAX, sizes) == SIZE_GRID_ALL - 3 &&
               size_grid((struct size_range){512, 40000}, 40, sizes) == 40 && sizes[39] == 40000,
           "no more where these are all, nor where they begin beyond");
    tap_ok(size_grid((struct size_range){4, 4}, 5, sizes) == 1 && size_grid_nearest(sizes, 1, 99) == 0,
           "one size is one");
    static const int64_t spaced[] = {4, 8, 16, 32, 64, 128, 256, 512};
    tap_ok(size_spaced((struct size_range){4, 512}, 8, sizes) == 8 &&
               memcmp(sizes, spaced, sizeof spaced) == 0 &&
               size_spaced((struct size_range){4, 6}, 8, sizes) == 3 && sizes[2] == 6,
           "few sizes are spread evenly by ratio, each once");
    tap_ok(size_range_pick((struct size_range){4, 512}, 0) == 4 &&
               size_range_pick((struct size_range){4, 512}, 0.999999) == 512, "random sizes reach both ends");
}

/* The ends, then the middle by ratio, and so on; beyond SIZE_GRID_ALL late. */
static void test_farthest(void)
{
    static const int64_t sizes[] = {4, 5, 17, 64, 200, 256};
    static const size_t wanted_order[] = {0, 5, 2, 3, 1, 4};
    enum { COUNT = sizeof sizes / sizeof *sizes, WANTED = sizeof wanted_order / sizeof *wanted_order };
    bool taken[COUNT] = {false};
    size_t right = 0;
    for (size_t i = 0; i < WANTED; i++) {
        const size_t next = size_grid_farthest(sizes, COUNT, taken);
        right += next == wanted_order[i];
        if (next < COUNT)
            taken[next] = true;
    }
    tap_ok(right == WANTED && size_grid_farthest(sizes, COUNT, taken) == COUNT,
           "sizes far from others come first: %zu of %d in order, and then there is none", right, WANTED);
}

/* No two the same, all can run, and the built-in ones are among them. */
static void test_space(const char *name, bool exhaustive)
{
    const int class = tuning_class_parse(name);
    const struct shape_space space = shape_space_make(class, exhaustive);
    const struct blas_call call = tuning_class_call(class, 32, 32);
    size_t same = 0, faulty = 0, missing = 0;
    for (size_t i = 0; i < space.count; i++) {
        faulty += launch_shape_fault(&call, &space.shapes[i]) != NULL;
        for (size_t k = 0; k < i; k++)
            same += shape_is_same(&space.shapes[i], &space.shapes[k]);
    }
    for (int64_t n = 4096; n <= 16384; n += 4096) {
        const struct blas_call large = tuning_class_call(class, n, n);
        const struct launch_shape built_in = launch_shape_built_in(&large);
        bool found = false;
        for (size_t i = 0; i < space.count; i++)
            found = found || shape_is_same(&space.shapes[i], &built_in);
        missing += !found;
    }
    tap_ok(space.count > 0 && same == 0 && faulty == 0 && missing == 0,
           "%s: %zu shapes, %zu twice, %zu faulty, %zu built-in ones missing", name, space.count, same,
           faulty, missing);
    free(space.shapes);
}

static void test_prune(void)
{
    const int class = tuning_class_parse("dtrmv_none");
    const struct shape_figures figures = figures_of_h100();
    const struct shape_space space = shape_space_make(class, true);
    const struct blas_call call = tuning_class_call(class, 8192, 8192);
    const size_t kept = shape_space_prune(space.shapes, space.count, &call, &figures, 0.3);
    double least = HUGE_VAL, most = 0;
    for (size_t i = 0; i < space.count; i++) {
        const double bytes = shape_bytes_in_flight(&call, &space.shapes[i], &figures);
        least = i < kept ? fmin(least, bytes) : least;
        most = fmax(most, bytes);
    }
    tap_ok(kept > 0 && kept < space.count && least >= 0.3 * most && most == 2048 * 64,
           "%zu of %zu shapes have a third of the %.0f bytes in flight that there can be", kept, space.count,
           most);
    tap_ok(shape_space_prune(space.shapes, space.count, &call, &figures, 0) == space.count, "0 prunes none");
    const struct blas_call small = tuning_class_call(class, 300, 300);
    const size_t of_small = shape_space_distinct(space.shapes, space.count, &small, 132);
    size_t staying = 0;
    for (size_t i = 0; i < of_small; i++)
        staying += space.shapes[i].blocks_per_multiprocessor > 0;
    tap_ok(of_small > 0 && staying == 0 &&
               shape_space_distinct(space.shapes, space.count, &call, 132) > 2 * of_small,
           "of %zu shapes %zu differ where a wave holds all items", space.count, of_small);
    free(space.shapes);
}

/* Made by hand: one of four shapes within 98% has another U, and one is a strip. */
static void test_analyzer(void)
{
    const struct shape_figures figures = figures_of_h100();
    const struct launch_shape shapes[] = {{256, 64, 4, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER},
                                          {128, 32, 4, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER},
                                          {128, 32, 16, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER},
                                          {256, 8, 8, 2, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER},
                                          {64, 64, 1, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER},
                                          {8, 32, 1, 1, 0, ORDER_DOWN, 1, VARIANT_STRIPS}};
    const double seconds[] = {100, 101, 102, 101, 110, 90};
    struct class_recipe rules;
    memset(&rules, 0, sizeof rules);
    tap_ok(analyzer_run(shapes, seconds, 6, &figures, &rules) && rules.has_occupancy &&
               rules.base.leaf_columns == 1 && rules.base.threads_x == 0 &&
               rules.base.variant == VARIANT_LAST_ARRIVER,
           "the base is the best's, of tiles");
    tap_ok(rules.occupancy.threads_min == 128 && rules.occupancy.ty_per_tx_max == 0.5 &&
               rules.occupancy.warp_min == 1 && rules.occupancy.block_min == 4.0 / 32,
           "the four values: %g %g %u %g", rules.occupancy.warp_min, rules.occupancy.block_min,
           rules.occupancy.threads_min, rules.occupancy.ty_per_tx_max);
    const double near[] = {100, 101, 102, 101, 101.9, 90};
    tap_ok(analyzer_run(shapes, near, 6, &figures, &rules) && rules.occupancy.threads_min == 64,
           "a smaller block counts within 98%%");
    const double none[] = {HUGE_VAL, HUGE_VAL};
    tap_ok(!analyzer_run(shapes, none, 2, &figures, &rules) &&
               !analyzer_run(shapes, seconds, 0, &figures, &rules),
           "nothing timed, nothing learned");
}

enum { SHAPES = 3 };
static const struct launch_shape three[SHAPES] = {{64, 16, 8, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER},
                                                  {256, 64, 4, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER},
                                                  {8, 64, 1, 1, 0, ORDER_DOWN, 1, VARIANT_STRIPS}};

/* Small tiles cost by the matrix, large ones at their begin; strips are best where they can, up to 20. */
static double planted(size_t shape, int64_t size)
{
    const double length = (double)size;
    if (shape == 2)
        return size <= 20 ? 1 + 0.001 * length * length : HUGE_VAL;
    return shape == 0 ? 2 + 0.0015 * length * length : 10 + 0.001 * length * length;
}

static void sample(struct sampled_times *times, size_t size, double noise, uint64_t *state)
{
    for (size_t shape = 0; shape < SHAPES; shape++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        const double part = (double)(*state >> 11) * 0x1p-53 - 0.5;
        times->seconds[shape * SIZE_GRID_MAX + size] =
            planted(shape, times->sizes[size]) * (1 + noise * part);
    }
}

/* The crossing of the two: 0.0005 n^2 = 8, at 126.5. */
static void test_rules(uint64_t state)
{
    static double seconds[SHAPES * SIZE_GRID_MAX];
    struct sampled_times times = {.shape_count = SHAPES, .shapes = three, .seconds = seconds};
    struct class_recipe rules;
    memset(&rules, 0, sizeof rules);
    times.sizes_count = size_grid((struct size_range){4, 512}, SIZE_GRID_MAX, times.sizes);
    for (size_t i = 0; i < times.sizes_count; i++)
        times.floor[i] = 1 + 0.001 * (double)(times.sizes[i] * times.sizes[i]);
    bool sampled[SIZE_GRID_MAX] = {false};
    for (int step = 0; step < 20; step++) {
        const size_t next = size_grid_farthest(times.sizes, times.sizes_count, sampled);
        sampled[next] = true;
        sample(&times, next, 0.02, &state);
    }
    tap_ok(sampled_rules_make(&times, 8, &rules), "rules come out");
    const struct recipe_interval *interval = rules.intervals;
    for (int i = 0; i < rules.interval_count; i++)
        printf("# up to %lld: edge %u\n", (long long)interval[i].upto, interval[i].shape.edge);
    tap_ok(rules.interval_count == 3 && interval[2].upto == INT64_MAX, "three of them, to the end");
    tap_ok(interval[0].shape.variant == VARIANT_STRIPS && interval[0].upto >= 14 && interval[0].upto <= 20,
           "strips as far as they can, not beyond");
    tap_ok(interval[1].shape.edge == 64 && interval[1].upto > 100 && interval[1].upto < 160 &&
               interval[2].shape.edge == 256, "then small tiles, then large ones");
}

/* The second shape takes 3% longer than the first, which at size 84 alone takes `loss` longer than that. How
 * many rules there are; `alone`: the second has just that size. */
static int rules_at_one_size(double loss, bool *alone)
{
    static double seconds[2 * SIZE_GRID_MAX];
    struct sampled_times times = {.shape_count = 2, .shapes = three, .seconds = seconds};
    struct class_recipe rules;
    memset(&rules, 0, sizeof rules);
    times.sizes_count = size_grid((struct size_range){4, 512}, SIZE_GRID_MAX, times.sizes);
    for (size_t i = 0; i < times.sizes_count; i++) {
        const double area = (double)(times.sizes[i] * times.sizes[i]);
        times.floor[i] = 1 + 0.001 * area;
        seconds[SIZE_GRID_MAX + i] = 1.03 * times.floor[i];
        seconds[i] = times.sizes[i] == 84 ? (1 + loss) * 1.03 * times.floor[i] : times.floor[i];
    }
    if (!sampled_rules_make(&times, 8, &rules))
        return 0;
    *alone = rules.interval_count == 3 && rules.intervals[0].upto == 83 && rules.intervals[1].upto == 84 &&
             rules.intervals[1].shape.edge == three[1].edge && rules.intervals[2].shape.edge == three[0].edge;
    return rules.interval_count;
}

static void test_one_size(void)
{
    bool alone = false;
    tap_ok(rules_at_one_size(0.03, &alone) == 1, "a size at which little is lost has no rule of its own");
    tap_ok(rules_at_one_size(0.15, &alone) == 3 && alone, "one at which much is lost has");
}

/* Strips of a tall transposed matrix can sum no more than 16384 rows: size 128. They are the
 * fastest where they can, and few sizes are sampled: no rule reaches where its shape cannot. */
static void test_limit(void)
{
    static const struct launch_shape two[] = {{8, 64, 1, 1, 0, ORDER_DOWN, 1, VARIANT_STRIPS},
                                              {256, 64, 4, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}};
    static double seconds[2 * SIZE_GRID_MAX];
    struct sampled_times times = {.shape_count = 2, .shapes = two, .seconds = seconds};
    struct class_recipe rules;
    const int class = tuning_class_parse("sgemv_transpose");
    memset(&rules, 0, sizeof rules);
    times.sizes_count = size_grid((struct size_range){4, 512}, 15, times.sizes);
    for (size_t i = 0; i < times.sizes_count; i++) {
        const struct blas_call call = tuning_class_call_at(class, TUNING_TALL, times.sizes[i]);
        for (size_t shape = 0; shape < 2; shape++)
            seconds[shape * SIZE_GRID_MAX + i] =
                launch_shape_fault(&call, &two[shape]) ? HUGE_VAL : (double)(shape + 1);
        times.floor[i] = 1;
    }
    size_t faulty = 0;
    const bool made = sampled_rules_make(&times, 8, &rules);
    for (int64_t size = 4, i = 0; made && size <= 512; size++) {
        const struct blas_call call = tuning_class_call_at(class, TUNING_TALL, size);
        i += size > rules.intervals[i].upto;
        faulty += !launch_shape_can(&call, &rules.intervals[i].shape);
    }
    tap_ok(made && rules.interval_count == 2 && rules.intervals[0].shape.variant == VARIANT_STRIPS &&
               faulty == 0,
           "%zu sizes have a shape that cannot do them", faulty);
}

/* The built-in shape takes a tenth longer than the first one below size 40, and a tenth less above: it has
 * the rules where it is the fastest, and no others. */
static void test_built_in(void)
{
    static double seconds[2 * SIZE_GRID_MAX];
    struct sampled_times times = {.shape_count = 2, .shapes = three, .seconds = seconds};
    struct class_recipe rules;
    memset(&rules, 0, sizeof rules);
    times.sizes_count = size_grid((struct size_range){4, 512}, SIZE_GRID_MAX, times.sizes);
    for (size_t i = 0; i < times.sizes_count; i++) {
        times.floor[i] = 1 + 0.001 * (double)(times.sizes[i] * times.sizes[i]);
        if (i % 6 != 0 && i + 1 < times.sizes_count)
            continue;
        seconds[i] = times.floor[i], seconds[SIZE_GRID_MAX + i] = 1.5 * times.floor[i];
        times.built_in[i] = (times.sizes[i] < 40 ? 1.1 : 0.9) * times.floor[i];
    }
    tap_ok(sampled_rules_make(&times, 8, &rules) && rules.interval_count == 2 &&
               rules.intervals[0].shape.edge == three[0].edge && rules.intervals[0].upto > 30 &&
               rules.intervals[0].upto < 46 && rules.intervals[1].shape.edge == 0,
           "what is built in has the rule where it is the fastest: beyond %lld",
           (long long)rules.intervals[0].upto);
}

UNIT_TEST(test_shape_search)
{
    const uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 0) : 11;
    printf("# seed %llu\n", (unsigned long long)seed);
    test_sizes();
    test_farthest();
    test_space("dsymv", false);
    test_space("sgemv_none", false);
    test_space("zgemv_transpose", true);
    test_space("ctrmv_transpose", false);
    test_prune();
    test_analyzer();
    test_rules(seed);
    test_limit();
    test_one_size();
    test_built_in();
    return tap_done();
}

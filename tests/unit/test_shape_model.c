/* Makespans against a simulation, and the model of a shape's time against planted coefficients. */
#include "tuner/makespan.h"
#include "tuner/shape_model.h"
#include "tuner/tuning_class.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MAX = 40 };

static uint64_t random_state;

static double random_part(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random_state >> 11) * 0x1p-53;
}

/* Item by item to the worker who is free first. */
static double simulated(const struct work_items *groups, size_t count, int64_t workers)
{
    double busy[WORKERS_MAX] = {0}, last = 0;
    for (size_t group = 0; group < count; group++)
        for (int64_t item = 0; item < groups[group].count; item++) {
            int first = 0;
            for (int i = 1; i < workers; i++)
                first = busy[i] < busy[first] ? i : first;
            busy[first] += groups[group].time;
            last = fmax(last, busy[first]);
        }
    return last;
}

static void test_makespan(void)
{
    int wrong = 0;
    for (int try = 0; try < 2000; try++) {
        struct work_items groups[4];
        const size_t count = 1 + (size_t)(4 * random_part());
        const int64_t workers = 1 + (int64_t)(WORKERS_MAX * random_part());
        for (size_t i = 0; i < count; i++)
            groups[i] = (struct work_items){(int64_t)pow(1000, random_part()) - 1, 1 + (int)(16 * random_part())};
        const double expected = simulated(groups, count, workers), got = makespan(groups, count, workers);
        wrong += fabs(got - expected) > 1e-9 * (1 + expected);
    }
    tap_ok(wrong == 0, "%d of 2000 makespans differ from a simulation", wrong);
    const struct work_items many = {INT64_C(1) << 40, 0.5};
    tap_ok(makespan(&many, 1, 132) == 0.5 * (double)(((INT64_C(1) << 40) + 131) / 132), "very many items take no longer to count");
}

static struct shape_figures figures_of_h100(void)
{
    struct shape_figures figures;
    memset(&figures, 0, sizeof figures);
    for (int i = 0; i < SHAPE_EDGES; i++) {
        figures.of_edge[i] = (struct occupancy_figures){.multiprocessors = 132, .warps = 64, .blocks = 32};
        for (int warps = 1; warps <= 16; warps++)
            figures.of_edge[i].active[warps] = (unsigned char)(16 / warps);
    }
    return figures;
}

enum { ROUNDS = 3, RAGGED, SLOW, SHARES, CHAIN, WAVES, LAUNCHED };

/* By hand, for edge 256 and 64 threads in 8 teams down: a tile is 8 leaf columns, one after another. */
static void test_terms(void)
{
    const struct launch_shape shape = {256, 64, 1, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER};
    const struct shape_figures figures = figures_of_h100();
    const int64_t slots = 132 * 8; /* two warps */
    struct blas_call call = tuning_class_call(tuning_class_parse("dgemv_none"), 33 * 256, 32 * 256);
    struct shape_terms terms = shape_terms_of(&call, &shape, &figures, true);
    tap_ok(terms.of[0] == 1 && terms.of[ROUNDS] == 8 && terms.of[RAGGED] == 8 && terms.of[SLOW] == 8 &&
               terms.of[WAVES] == 33 * 32.0 / (double)slots,
           "%d tiles just fill a wave", 33 * 32);
    tap_ok(terms.of[LAUNCHED] == 1 && shape_terms_of(&call, &shape, &figures, false).of[LAUNCHED] == 0,
           "how calls are timed is a term");
    call = tuning_class_call(tuning_class_parse("dgemv_none"), 33 * 256 + 1, 32 * 256);
    terms = shape_terms_of(&call, &shape, &figures, false);
    tap_ok(terms.of[RAGGED] == 8 + 4 && terms.of[SLOW] == 8 + 12, "a row more: 8 cut-off leaves for two warps");
    tap_ok(fabs(terms.of[ROUNDS] - 8) < 0.01 && fabs(terms.of[SHARES] - 8 * 8) < 0.01, "and no whole one");
    call = tuning_class_call(tuning_class_parse("dgemv_none"), 33 * 256 + 33, 32 * 256);
    terms = shape_terms_of(&call, &shape, &figures, false);
    tap_ok(terms.of[ROUNDS] == 8 + 1 && terms.of[RAGGED] == 8 + 1 + 4 && terms.of[SLOW] == 8 + 1 + 12,
           "32 more: a whole leaf for each team, before its warp takes those that are cut off");
}

static void test_triangle_and_strips(void)
{
    const struct launch_shape shape = {256, 64, 1, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER},
                              strips = {32, 256, 1, 1, 0, ORDER_DOWN, 1, VARIANT_STRIPS};
    const struct shape_figures figures = figures_of_h100();
    struct blas_call call = tuning_class_call(tuning_class_parse("dsymv"), 45 * 256, 45 * 256);
    struct shape_terms terms = shape_terms_of(&call, &shape, &figures, false);
    tap_ok(terms.of[ROUNDS] == 8 && terms.of[WAVES] == 45 * 23.0 / (132 * 8), "the lower triangle is %d tiles", 45 * 23);
    tap_ok(terms.of[RAGGED] == 9 && terms.of[SLOW] == 18,
           "on the diagonal warps have 3 and 7 leaves in a row, and share 8 ragged ones");
    call = tuning_class_call(tuning_class_parse("dgemv_none"), 32 * 132 * 2 + 1, 4096);
    terms = shape_terms_of(&call, &strips, &figures, false);
    tap_ok(terms.of[ROUNDS] == 2 * 128 / 8, "strips: 128 leaves for 8 teams, and one strip too many for a wave");
}

/* Times by planted coefficients at a few sizes: the model has them between and beyond. */
static void test_fit(void)
{
    static const double planted[SHAPE_TERMS] = {3e-6, 0.7e-6, 0, 1.5e-6, 0, 0, 0, 0.2e-6, 0, 0};
    const struct launch_shape shape = {256, 64, 4, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER};
    const struct shape_figures figures = figures_of_h100();
    struct shape_terms terms[20];
    double seconds[20], largest = 0;
    for (int i = 0; i < 20; i++) {
        const struct blas_call call = tuning_class_call_at(tuning_class_parse("dsymv"), TUNING_SQUARE, 4 + i * i);
        terms[i] = shape_terms_of(&call, &shape, &figures, false);
        seconds[i] = 0;
        for (int k = 0; k < SHAPE_TERMS; k++)
            seconds[i] += planted[k] * terms[i].of[k];
    }
    const struct shape_model model = shape_model_fit(terms, seconds, 20);
    for (int64_t size = 4; size < 400; size++) {
        const struct blas_call call = tuning_class_call_at(tuning_class_parse("dsymv"), TUNING_SQUARE, size);
        const struct shape_terms at = shape_terms_of(&call, &shape, &figures, false);
        double expected = 0;
        for (int k = 0; k < SHAPE_TERMS; k++)
            expected += planted[k] * at.of[k];
        largest = fmax(largest, fabs(shape_model_at(&model, &at) / expected - 1));
    }
    tap_ok(largest < 0.01, "planted times are found again within %.4f", largest);
    bool positive = true;
    for (int i = 0; i < 20; i++)
        seconds[i] *= 1 + 0.3 * (random_part() - 0.5);
    const struct shape_model noisy = shape_model_fit(terms, seconds, 20);
    for (int k = 0; k < SHAPE_TERMS; k++)
        positive = positive && noisy.coefficients[k] >= 0;
    tap_ok(positive, "coefficients stay positive, whatever the noise");
}

int main(int count, char **arguments)
{
    random_state = count > 1 ? strtoull(arguments[1], NULL, 0) : 3;
    printf("# seed %llu\n", (unsigned long long)random_state);
    test_makespan();
    test_terms();
    test_triangle_and_strips();
    test_fit();
    return tap_done();
}

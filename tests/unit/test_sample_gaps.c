/* At which amounts samples are missing: by how far apart they lie, and where a time jumps. */
#include "tap.h"
#include "tuner/sample_gaps.h"

#include <math.h>
#include <stdlib.h>

static const double border = 1e5, device_us = 20;

/* Curves of a class in which the host takes device_us at the border and more in proportion, and the device the
 * same for all; every sample was timed so often. */
struct world {
    struct call_sampler sampler;
    struct learned_times times;
    struct moments_table moments;
    struct sample_batch batch;
    int class, timed;
};

static struct world *new_world(int timed)
{
    struct world *world = calloc(1, sizeof *world);
    world->class = timed_class_parse("dsymv");
    world->timed = timed;
    world->sampler = (struct call_sampler){.least_bytes = 16 << 10, .most_bytes = 256 << 20, .most_us = 1e5};
    world->batch = (struct sample_batch){.sampler = &world->sampler, .times = &world->times,
                                         .moments = &world->moments};
    return world;
}

static void add(struct world *world, double amount, double host_more, double device_more)
{
    const double us[CALL_SIDES] = {[SIDE_HOST] = device_us * amount / border * host_more,
                                   [SIDE_DEVICE] = device_us * device_more};
    for (int side = 0; side < CALL_SIDES; side++) {
        struct sample_moments *moments = sample_moments_at(&world->moments, world->class, side, amount);
        for (int i = 0; i < world->timed; i++)
            sample_moments_add(moments, us[side], 0, 0);
        time_curve_add(&(side == SIDE_HOST ? world->times.host : world->times.resident)[world->class], amount,
                       us[side]);
    }
    learned_times_separate(&world->times, world->class);
}

/* Samples 1.1 times apart but for one gap, whose middle is where the host takes `gain` times as long. */
static void test_gap(double gain, double width, bool missing)
{
    struct world *world = new_world(1);
    const double middle = border * gain, low = middle / sqrt(width), high = middle * sqrt(width);
    double amount = 0;
    for (double at = low; at > border / 2.7; at /= 1.1)
        add(world, at, 1, 1);
    for (double at = high; at < border * 2.7; at *= 1.1)
        add(world, at, 1, 1);
    const bool found = sample_gaps_find(&world->batch, world->class, &amount);
    tap_ok(found == missing && (!found || (amount > low && amount < high)),
           "where the host takes %.1f times as long samples %.2f times apart are %s", gain, width,
           missing ? "too few" : "enough");
    free(world);
}

/* Samples 1.12 times apart; from one on, where the host takes `gain` times as long, a side takes longer. */
static void test_jump(enum call_side side, double gain, double factor, int timed, bool missing)
{
    struct world *world = new_world(timed);
    const double jump = border * gain, step = 1.12;
    double amount = 0, first = jump / sqrt(step);
    while (first > border / 5)
        first /= step;
    for (double at = first; at < border * 6; at *= step) {
        const double more = at > jump ? factor : 1;
        add(world, at, side == SIDE_HOST ? more : 1, side == SIDE_DEVICE ? more : 1);
    }
    const bool found = sample_gaps_find(&world->batch, world->class, &amount);
    tap_ok(found == missing && (!found || fabs(log(amount / jump)) < log(step)),
           "%s takes %.2f times as long at %.1f, timed %d times: %s", side == SIDE_HOST ? "the host" : "the device",
           factor, gain, timed, missing ? "a jump" : "none that matters");
    free(world);
}

int main(void)
{
    static const struct {
        double gain, width;
        bool missing;
    } gaps[] = {{1, 1.3, true}, {1, 1.17, false}, {0.617, 1.5, true}, {0.617, 1.3, false}, {2.1, 1.75, true},
                {2.1, 1.5, false}};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        test_gap(gaps[i].gain, gaps[i].width, gaps[i].missing);
    test_jump(SIDE_DEVICE, 1, 1.5, 2, true);
    test_jump(SIDE_DEVICE, 1, 1.5, 1, false); /* of a single time nothing is told */
    test_jump(SIDE_DEVICE, 1, 1.3, 2, false); /* a device's time grows, but less than the work */
    test_jump(SIDE_DEVICE, 1, 1 / 1.35, 2, true);
    test_jump(SIDE_DEVICE, 1, 1 / 1.15, 2, false);
    test_jump(SIDE_HOST, 1, 1.6, 2, true);
    test_jump(SIDE_HOST, 1, 1.3, 2, false);
    test_jump(SIDE_HOST, 1, 1 / 1.7, 2, true);
    test_jump(SIDE_HOST, 0.75, 1.6, 2, true);
    test_jump(SIDE_DEVICE, 2.4, 1.5, 2, false); /* one side is far ahead */
    return tap_done();
}

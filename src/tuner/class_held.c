#include "tuner/class_work.h"

#include "tuner/decision.h"

#include <math.h>
#include <string.h>

static const double TIE = 0.003;

static double random_part(struct class_tuner *tuner)
{
    tuner->random_state = tuner->random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(tuner->random_state >> 11) * 0x1p-53;
}

/* A size that no rule was made from; the last try stands where there is none. */
static int64_t held_size(struct class_work *work)
{
    int64_t size = work->range.least;
    for (int tries = 0; tries < 20; tries++) {
        size = size_range_pick(work->range, random_part(work->tuner));
        const size_t near = size_grid_nearest(work->finals.sizes, work->finals.sizes_count, size);
        if (work->finals.sizes[near] != size || work->finals.seconds[near] == 0)
            break;
    }
    return size;
}

struct regrets {
    double rules, occupancy, gain;
    int sizes;
};

/* Shapes 0 and 1 are the rules' and the optimizer's. */
static enum status hold_at(struct class_work *work, const struct class_recipe *rules, struct regrets *regrets)
{
    const int64_t size = held_size(work);
    const struct blas_call call = class_work_call(work, size);
    struct launch_shape shapes[FINALISTS_MAX + 2];
    struct tuning_time times[FINALISTS_MAX + 2], reference;
    const size_t count = work->finalist_count + 2;
    size_t best = 0;
    if (!decision_of(rules, work->class, work->form, size, false, &shapes[0]))
        return STATUS_UNSUPPORTED;
    if (!decision_of(rules, work->class, work->form, size, true, &shapes[1]))
        shapes[1] = shapes[0];
    memcpy(shapes + 2, work->finalists, work->finalist_count * sizeof *shapes);
    enum status status =
        shape_timer_time(work->tuner->timer, &call, shapes, count, &work->settings->held, times, &reference);
    if (status != STATUS_OK || class_work_is_stopped(work))
        return status;
    for (size_t i = 1; i < count; i++)
        if (times[i].seconds < times[best].seconds)
            best = i;
    class_work_data(work, &call, "rules", &shapes[0], &times[0], 1);
    class_work_data(work, &call, "occupancy", &shapes[1], &times[1], 1);
    class_work_data(work, &call, "best", &shapes[best], &times[best], 1);
    class_work_data(work, &call, "held", shapes + 2, times + 2, work->finalist_count);
    regrets->rules += times[0].seconds / times[best].seconds - 1;
    regrets->occupancy += times[1].seconds / times[best].seconds - 1;
    regrets->gain += log(reference.seconds / times[0].seconds);
    regrets->sizes++;
    class_work_step(work);
    return STATUS_OK;
}

enum status class_held(struct class_work *work, struct class_recipe *rules, struct class_summary *summary)
{
    struct regrets regrets = {0, 0, 0, 0};
    enum status status = STATUS_OK;
    for (int i = 0; i < work->settings->held_sizes && status == STATUS_OK; i++) {
        if (class_work_is_stopped(work) || (i >= HELD_SIZES_LEAST && class_work_is_late(work)))
            break;
        status = hold_at(work, rules, &regrets);
    }
    if (status != STATUS_OK || regrets.sizes == 0)
        return status;
    summary->rules_regret = regrets.rules / regrets.sizes;
    summary->occupancy_regret = regrets.occupancy / regrets.sizes;
    summary->gain = exp(regrets.gain / regrets.sizes);
    /* A tie goes to what was measured. */
    rules->by_occupancy = rules->has_occupancy && summary->occupancy_regret + TIE < summary->rules_regret;
    return STATUS_OK;
}

#include "tuner/learn/class_search.h"

#include "tuner/online/decision.h"

static double random_part(struct class_tuner *tuner)
{
    tuner->random_state = tuner->random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(tuner->random_state >> 11) * 0x1p-53;
}

/* A size that no rule was made from; the last try stands where there is none. */
static int64_t held_size(struct class_search *search)
{
    int64_t size = search->range.least;
    for (int tries = 0; tries < 20; tries++) {
        size = size_range_pick(search->range, random_part(search->tuner));
        const size_t near = size_grid_nearest(search->finals.sizes, search->finals.sizes_count, size);
        if (search->finals.sizes[near] != size || search->finals.built_in[near] == 0)
            break;
    }
    return size;
}

struct regrets {
    double rules, occupancy;
    int sizes;
    struct chooser_sample samples[HELD_SIZES_MOST];
};

/* What was timed at a held-out size: the rules' shape, the optimizer's, then finalists. */
struct held {
    struct blas_call call;
    struct launch_shape shapes[FINALISTS_MAX + 2];
    struct tuning_time times[FINALISTS_MAX + 2], reference;
    size_t field[FINALISTS_MAX], count; /* which finalists */
};

static void take(struct class_search *search, const struct held *held, struct regrets *regrets)
{
    const struct launch_shape built_in = launch_shape_built_in(&held->call), *shapes = held->shapes;
    const struct tuning_time *times = held->times;
    size_t best = 0;
    for (size_t i = 1; i < held->count + 2; i++)
        if (times[i].seconds < times[best].seconds)
            best = i;
    class_search_data(search, &held->call, "rules", &shapes[0], &times[0], 1);
    class_search_data(search, &held->call, "occupancy", &shapes[1], &times[1], 1);
    class_search_data(search, &held->call, "best", &shapes[best], &times[best], 1);
    class_search_data(search, &held->call, "held", shapes + 2, times + 2, held->count);
    class_search_data(search, &held->call, "default", &built_in, &held->reference, 1);
    regrets->rules += times[0].seconds / times[best].seconds - 1;
    regrets->occupancy += times[1].seconds / times[best].seconds - 1;
    regrets->samples[regrets->sizes++] = (struct chooser_sample){
        {times[0].seconds, times[1].seconds, held->reference.seconds}};
}

static enum status hold_at(struct class_search *search, const struct class_recipe *rules,
                           struct regrets *regrets)
{
    const int64_t size = held_size(search);
    struct held held = {.call = class_search_call(search, size)};
    held.shapes[0] = decision_or_built_in(rules, &held.call, false);
    held.shapes[1] = decision_or_built_in(rules, &held.call, true);
    held.count = class_search_field(
        search, size_grid_nearest(search->finals.sizes, search->finals.sizes_count, size), held.field);
    for (size_t i = 0; i < held.count; i++)
        held.shapes[2 + i] = search->finalists[held.field[i]];
    enum status status = shape_timer_time(search->tuner->timer, &held.call, held.shapes, held.count + 2,
                                          &search->settings->held, held.times, &held.reference);
    if (status != STATUS_OK || class_search_is_stopped(search))
        return status;
    take(search, &held, regrets);
    class_search_step(search);
    return STATUS_OK;
}

enum status class_held_out(struct class_search *search, struct class_recipe *rules,
                           struct class_summary *summary)
{
    struct regrets regrets = {.sizes = 0};
    enum status status = STATUS_OK;
    for (int i = 0; i < search->settings->held_sizes && status == STATUS_OK; i++) {
        if (class_search_is_stopped(search) || (i >= HELD_SIZES_LEAST && class_search_is_late(search)))
            break;
        status = hold_at(search, rules, &regrets);
    }
    if (status != STATUS_OK || regrets.sizes == 0)
        return status;
    summary->rules_regret = regrets.rules / regrets.sizes;
    summary->occupancy_regret = regrets.occupancy / regrets.sizes;
    summary->chooser = chooser_pick(regrets.samples, (size_t)regrets.sizes, &summary->gain);
    rules->by_occupancy = summary->chooser == CHOOSER_OCCUPANCY;
    if (summary->chooser == CHOOSER_BUILT_IN)
        rules->interval_count = 0;
    return STATUS_OK;
}

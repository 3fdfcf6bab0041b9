#include "judged_calls.h"

#include "border_calls.h"
#include "tuner/learn/statistics.h"

#include <math.h>
#include <string.h>

enum { MOST = 20 /* calls on end */, TURN = 3, FEW = 3 };
static const double budget_us = 100, clear = 4;

/* One side always so much faster that no round could change that. */
static bool is_clear(const struct judged_call *judged)
{
    bool host = true, device = true;
    for (int round = 0; round < judged->timed; round++) {
        const double gain = judged->rounds[SIDE_HOST][round] / judged->rounds[SIDE_DEVICE][round];
        host = host && gain < 1 / clear;
        device = device && gain > clear;
    }
    return judged->timed >= FEW && (host || device);
}

/* Those that are to be timed in this round. The ones right after a change of sides take longer: others in
 * each round. */
static int open_calls(struct judged_call *part, int count, int round, struct judged_call *open[MOST])
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        struct judged_call *judged = &part[(i + round * TURN) % count];
        if (!is_clear(judged))
            open[found++] = judged;
    }
    return found;
}

static void time_part(struct call_timer *timer, struct judged_call *part, int count, int round)
{
    struct judged_call *open[MOST];
    struct blas_call calls[MOST] = {{0}};
    double us[MOST];
    const int found = open_calls(part, count, round, open);
    for (int i = 0; i < found; i++) {
        calls[i] = open[i]->call;
        calls[i].a.ld = 0;
    }
    for (int side = 0; side < CALL_SIDES && found > 0; side++) {
        call_timer_warm_all(timer, (enum call_side)side, calls, found, budget_us, us);
        for (int i = 0; i < found; i++)
            open[i]->rounds[side][open[i]->timed] = us[i] > 0 ? us[i] : HUGE_VAL;
    }
    for (int i = 0; i < found; i++)
        open[i]->timed++;
}

static void sum_up(struct judged_call *judged)
{
    double us[JUDGED_PROCESSES * JUDGED_ROUNDS];
    for (int side = 0; side < CALL_SIDES; side++) {
        memcpy(us, judged->rounds[side], (size_t)judged->timed * sizeof *us);
        judged->us[side] = statistics_usual_mean(us, (size_t)judged->timed);
    }
}

void judged_calls_time(struct call_timer *timer, struct judged_call *const *groups, int group_count,
                       int count, uint64_t *seed)
{
    const int parts = (count + MOST - 1) / MOST;
    int order[ROUTINES];
    for (int i = 0; i < group_count; i++)
        order[i] = i;
    for (int turn = 0; turn < JUDGED_ROUNDS * parts; turn++) {
        const int round = turn / parts, part = turn % parts;
        const int begin = count * part / parts, end = count * (part + 1) / parts;
        border_shuffle(order, group_count, seed);
        for (int i = 0; i < group_count; i++)
            time_part(timer, groups[order[i]] + begin, end - begin, round);
    }
    for (int group = 0; group < group_count; group++)
        for (int i = 0; i < count; i++)
            sum_up(&groups[group][i]);
}

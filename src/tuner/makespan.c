#include "tuner/makespan.h"

#include <math.h>

/* Workers with the same time behind them; few such times differ. */
enum { LEVELS_MAX = 64 };

struct level {
    double time;
    int64_t workers;
};

struct levels {
    struct level of[LEVELS_MAX]; /* ascending */
    size_t count;
};

static const double SAME = 1e-13;

/* Workers who have reached `time`. Out of levels they join the last: a little more time. */
static void reach(struct levels *levels, double time, int64_t workers)
{
    size_t place = levels->count;
    while (place > 0 && levels->of[place - 1].time > time * (1 - SAME))
        place--;
    if (place < levels->count && levels->of[place].time <= time * (1 + SAME)) {
        levels->of[place].workers += workers;
        return;
    }
    if (levels->count == LEVELS_MAX) {
        levels->of[LEVELS_MAX - 1].workers += workers;
        return;
    }
    for (size_t i = levels->count++; i > place; i--)
        levels->of[i] = levels->of[i - 1];
    levels->of[place] = (struct level){time, workers};
}

static void drop_first(struct levels *levels)
{
    levels->count--;
    for (size_t i = 0; i < levels->count; i++)
        levels->of[i] = levels->of[i + 1];
}

/* Whole rounds of all workers change nothing but the time, once all have the same behind them but for an
 * item. */
static int64_t skip_rounds(struct levels *levels, const struct work_items *items, int64_t workers)
{
    const double spread = levels->of[levels->count - 1].time - levels->of[0].time;
    const int64_t rounds = items->count / workers - 2 - (int64_t)(spread / items->time);
    if (rounds <= 0)
        return items->count;
    for (size_t i = 0; i < levels->count; i++)
        levels->of[i].time += (double)rounds * items->time;
    return items->count - rounds * workers;
}

double makespan(const struct work_items *groups, size_t count, int64_t workers)
{
    struct levels levels = {.of = {{0, workers}}, .count = 1};
    for (size_t group = 0; group < count; group++) {
        int64_t left = skip_rounds(&levels, &groups[group], workers);
        while (left > 0) {
            const struct level first = levels.of[0];
            const int64_t taken = left < first.workers ? left : first.workers;
            if (taken == first.workers)
                drop_first(&levels);
            else
                levels.of[0].workers -= taken;
            reach(&levels, first.time + groups[group].time, taken);
            left -= taken;
        }
    }
    return levels.of[levels.count - 1].time;
}

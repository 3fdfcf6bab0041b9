#include "judged_calls.h"

#include "tuner/statistics.h"

#include <math.h>
#include <string.h>

enum { MOST = 20 /* calls on end */, TURN = 3 };
static const double budget_us = 100;

/* Those right after a change of sides take longer: others in each round. */
static void time_part(struct call_timer *timer, enum call_side side, struct judged_call *part, int count,
                      int round)
{
    struct blas_call calls[MOST] = {{0}};
    double us[MOST];
    for (int i = 0; i < count; i++) {
        calls[i] = part[(i + round * TURN) % count].call;
        calls[i].a.ld = 0;
    }
    call_timer_warm_all(timer, side, calls, count, budget_us, us);
    for (int i = 0; i < count; i++)
        part[(i + round * TURN) % count].rounds[side][round] = us[i] > 0 ? us[i] : HUGE_VAL;
}

static double sum_up(const double rounds[JUDGED_ROUNDS])
{
    double us[JUDGED_ROUNDS];
    memcpy(us, rounds, sizeof us);
    return statistics_faster_half(us, JUDGED_ROUNDS);
}

void judged_calls_time(struct call_timer *timer, struct judged_call *const *groups, int group_count,
                       int count)
{
    const int parts = (count + MOST - 1) / MOST;
    for (int round = 0; round < JUDGED_ROUNDS; round++)
        for (int part = 0; part < parts; part++)
            for (int group = 0; group < group_count; group++) {
                const int begin = count * part / parts, end = count * (part + 1) / parts;
                for (int side = 0; side < CALL_SIDES; side++)
                    time_part(timer, (enum call_side)side, groups[group] + begin, end - begin, round);
            }
    for (int group = 0; group < group_count; group++)
        for (int i = 0; i < count; i++)
            for (int side = 0; side < CALL_SIDES; side++)
                groups[group][i].us[side] = sum_up(groups[group][i].rounds[side]);
}

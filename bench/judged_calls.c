#include "judged_calls.h"

#include "tuner/statistics.h"

#include <math.h>
#include <string.h>

enum { PARTS = 5, TURN = 3 };
static const double budget_us = 100;

static double time_side(struct call_timer *timer, const struct judged_call *judged)
{
    struct blas_call timed = judged->call;
    double us;
    timed.a.ld = 0;
    return call_timer_warm(timer, &timed, budget_us, &us, NULL) ? us : HUGE_VAL;
}

/* Those right after a change of sides take longer: others in each round. */
static void time_part(struct call_timer *host, struct call_timer *device, struct judged_call *part, int count,
                      int round)
{
    for (int i = 0; i < count; i++) {
        struct judged_call *judged = &part[(i + round * TURN) % count];
        judged->host_rounds[round] = time_side(host, judged);
    }
    for (int i = 0; i < count; i++) {
        struct judged_call *judged = &part[(i + round * TURN) % count];
        judged->device_rounds[round] = time_side(device, judged);
    }
}

static double sum_up(const double rounds[JUDGED_ROUNDS])
{
    double us[JUDGED_ROUNDS];
    memcpy(us, rounds, sizeof us);
    return statistics_faster_half(us, JUDGED_ROUNDS);
}

void judged_calls_time(struct call_timer *host, struct call_timer *device, struct judged_call *const *groups,
                       int group_count, int count)
{
    for (int round = 0; round < JUDGED_ROUNDS; round++)
        for (int part = 0; part < PARTS; part++)
            for (int group = 0; group < group_count; group++) {
                const int begin = count * part / PARTS, end = count * (part + 1) / PARTS;
                time_part(host, device, groups[group] + begin, end - begin, round);
            }
    for (int group = 0; group < group_count; group++)
        for (int i = 0; i < count; i++) {
            struct judged_call *judged = &groups[group][i];
            judged->host = sum_up(judged->host_rounds);
            judged->device = sum_up(judged->device_rounds);
        }
}

#include "tuner/learn/timing/shape_field.h"

#include "tuner/learn/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOST_IN_A_ROW = 3 };

/* How far the reference may rise. */
static const double STEADY = 1.06;

bool shape_field_make(struct shape_field *field, size_t count)
{
    field->count = count;
    field->contestants = calloc(count + 1, sizeof *field->contestants);
    field->who = calloc(count + AHEAD + 1, sizeof *field->who);
    field->times = calloc(count + AHEAD + 1, sizeof *field->times);
    return field->contestants && field->who && field->times;
}

void shape_field_free(struct shape_field *field)
{
    for (size_t i = 0; i <= field->count && field->contestants; i++)
        graph_replay_discard(&field->contestants[i].graph);
    free(field->contestants);
    free(field->who);
    free(field->times);
}

/* Who has left has had enough times to see that he is slow; at the new pace, `slower` times the old one, he
 * would have been so, too. */
static void forget(struct shape_field *field, double slower)
{
    for (size_t i = 0; i < field->count; i++) {
        struct contestant *contestant = &field->contestants[i];
        if (contestant->in)
            contestant->rounds = 0;
        for (int round = 0; round < contestant->rounds; round++)
            contestant->times[round] *= slower;
    }
    field->contestants[field->count].rounds = 0;
}

bool shape_field_is_steady(struct shape_field *field, double reference)
{
    struct shape_timer *timer = field->timer;
    if (field->steady > 0 && reference > STEADY * field->steady && ++field->lost < LOST_IN_A_ROW) {
        timer->rounds_lost++;
        return false;
    }
    if (field->steady > 0 && (reference > STEADY * field->steady || field->steady > STEADY * reference)) {
        timer->shifts++;
        forget(field, reference / field->steady);
        field->steady = reference;
    }
    field->lost = 0;
    if (field->steady == 0 || reference < field->steady)
        field->steady = reference;
    return true;
}

/* Of two the smaller: the other may be an outlier, and those are slow. */
struct tuning_time contestant_time(const struct contestant *contestant, int calls)
{
    double times[SHAPE_ROUNDS_MOST];
    const size_t count = contestant->rounds > 0 ? (size_t)contestant->rounds : 0;
    if (count == 0)
        return (struct tuning_time){HUGE_VAL, HUGE_VAL, HUGE_VAL, contestant->rounds};
    memcpy(times, contestant->times, count * sizeof *times);
    const double median = statistics_median(times, count), middle = count == 2 ? times[0] : median;
    const struct interval interval = statistics_median_interval(times, count);
    return (struct tuning_time){middle / calls, interval.low / calls, interval.high / calls,
                                contestant->rounds};
}

static double median_of(const struct contestant *contestant)
{
    return contestant_time(contestant, 1).seconds;
}

/* Of those that are in; NULL: nobody is. */
static const struct contestant *best_of(const struct shape_field *field)
{
    const struct contestant *best = NULL;
    for (size_t i = 0; i < field->count; i++)
        if (field->contestants[i].in && (!best || median_of(&field->contestants[i]) < median_of(best)))
            best = &field->contestants[i];
    return best;
}

size_t shape_field_narrow(struct shape_field *field, double within)
{
    const struct contestant *best = best_of(field);
    const double most = best && within > 0 ? within * median_of(best) : HUGE_VAL;
    size_t in = 0;
    for (size_t i = 0; i < field->count; i++) {
        struct contestant *contestant = &field->contestants[i];
        contestant->in = contestant->in && !(median_of(contestant) > most);
        in += contestant->in;
    }
    return in;
}

bool shape_field_is_settled(const struct shape_field *field, double equal)
{
    const struct contestant *best = best_of(field);
    if (!best)
        return true;
    const struct tuning_time first = contestant_time(best, 1);
    for (size_t i = 0; i < field->count; i++) {
        const struct contestant *other = &field->contestants[i];
        if (other == best || !other->in)
            continue;
        const struct tuning_time time = contestant_time(other, 1);
        if (time.low <= first.high && time.seconds > (1 + equal) * first.seconds)
            return false;
    }
    return true;
}

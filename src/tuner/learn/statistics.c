#include "tuner/learn/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void statistics_sort(double *samples, size_t count)
{
    qsort(samples, count, sizeof *samples, compare);
}

double statistics_median(double *samples, size_t count)
{
    statistics_sort(samples, count);
    return count % 2 ? samples[count / 2] : 0.5 * (samples[count / 2 - 1] + samples[count / 2]);
}

double statistics_usual_mean(double *samples, size_t count)
{
    double sum = 0;
    statistics_sort(samples, count);
    while (samples[count - 1] > 2 * samples[0])
        count--;
    for (size_t i = 0; i < count; i++)
        sum += samples[i];
    return sum / (double)count;
}

double statistics_quantile(const double *sorted, size_t count, double part)
{
    const double at = part * (double)(count - 1);
    const size_t below = (size_t)at;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* The largest r for which both sorted[r] and sorted[count - 1 - r] enclose the median with
 * 95%: P(Binomial(count, 1/2) < r + 1) <= 2.5%. */
struct interval statistics_median_interval(const double *sorted, size_t count)
{
    double term = pow(0.5, (double)count), below = term;
    size_t rank = 0;
    while (rank + 1 < count / 2) {
        term *= (double)(count - rank) / (double)(rank + 1);
        if (below + term > 0.025)
            break;
        below += term;
        rank++;
    }
    return (struct interval){sorted[rank], sorted[count - 1 - rank]};
}

enum { ORDERS_MOST = 3, ORDER_UNIT = 32 };

/* Logarithms of the order, and of the ratio. */
struct point {
    double order, ratio;
};

/* The order's logarithm at which the line through both meets a ratio of one, not far from what was timed: a
 * line that hardly falls is mostly noise. A line that does not fall only tells which way is the faster
 * one. */
static double crossing(struct point first, struct point second)
{
    const double most = log(1.4), slope = (second.ratio - first.ratio) / (second.order - first.order);
    const double step = slope < 0 ? -second.ratio / slope : copysign(most, second.ratio);
    return second.order + fmin(fmax(step, -most), most);
}

static int64_t order_at(double logarithm, int64_t most)
{
    const int64_t order = ORDER_UNIT * llround(fmax(1, exp(logarithm) / ORDER_UNIT));
    return order < most ? order : most;
}

int64_t border_search(int64_t known, int64_t most, border_ratio *ratio_at, void *context)
{
    const double alike = 0.02, first_step = 0.12;
    struct point before = {0, 0}, now = {log((double)known), 0};
    double next = now.order, ratio;
    int64_t last = 0;
    int timed = 0;
    for (bool is_between = false; timed < ORDERS_MOST && !is_between; timed++) {
        const int64_t order = order_at(next, most);
        if (order == last || !ratio_at(context, order, &ratio))
            break;
        last = order;
        now = (struct point){log((double)order), log(ratio)};
        if (fabs(now.ratio) < alike)
            return order;
        const double step = fmax(first_step, log1p(ORDER_UNIT / (double)order)); /* to another order */
        next = timed == 0 ? now.order + copysign(step, now.ratio) : crossing(before, now);
        is_between = timed > 0 && signbit(before.ratio) != signbit(now.ratio);
        before = now;
    }
    return timed == 0 ? 0 : order_at(next, most);
}

static int better_first(const void *one, const void *other)
{
    const struct champion *a = one, *b = other;
    if (a->points != b->points)
        return a->points > b->points ? -1 : 1;
    return (a->candidate > b->candidate) - (a->candidate < b->candidate);
}

/* One size: points by rank. Less time is better, so in the field points are minus the time. */
static void award(const double *times, size_t candidates, unsigned scoring, struct champion *field,
                  struct champion *champions)
{
    size_t count = 0, rank = 0;
    for (size_t i = 0; i < candidates; i++)
        if (statistics_is_time(times[i]))
            field[count++] = (struct champion){i, -times[i]};
    qsort(field, count, sizeof *field, better_first);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && field[i].points < field[i - 1].points)
            rank = i;
        if (rank < scoring)
            champions[field[i].candidate].points += (double)(scoring - rank) / scoring;
    }
}

size_t champion_sieve(const double *times, size_t sizes, size_t candidates, unsigned scoring,
                      struct champion *kept, size_t wanted)
{
    size_t count = 0;
    struct champion *champions = calloc(candidates + 1, sizeof *champions);
    struct champion *field = calloc(candidates + 1, sizeof *field);
    if (champions && field) {
        for (size_t size = 0; size < sizes; size++)
            award(times + size * candidates, candidates, scoring, field, champions);
        for (size_t i = 0; i < candidates; i++)
            if (champions[i].points > 0)
                champions[count++] = (struct champion){i, champions[i].points};
        qsort(champions, count, sizeof *champions, better_first);
        if (count > wanted)
            count = wanted;
        memcpy(kept, champions, count * sizeof *kept);
    }
    free(champions);
    free(field);
    return count;
}

const char *const chooser_names[CHOOSERS] = {"rules", "occupancy", "built-in"};

/* A difference of two times' logarithms: less is noise over a few sizes. */
static const double CLEARLY = 0.005;
enum { RULES_LEAST = 2, OCCUPANCY_LEAST = 4 /* samples */ };

/* The mean of log(its time / own time) over the samples that have both; *known: how many they are. */
static double advantage_of(const struct chooser_sample *samples, size_t count, enum chooser chooser,
                           enum chooser other, int *known)
{
    double sum = 0;
    *known = 0;
    for (size_t i = 0; i < count; i++) {
        const double own = samples[i].seconds[chooser], its = samples[i].seconds[other];
        if (!(own > 0 && its > 0 && isfinite(own + its)))
            continue;
        sum += log(its / own);
        ++*known;
    }
    return *known >= RULES_LEAST ? sum / *known : 0;
}

enum chooser chooser_pick(const struct chooser_sample *samples, size_t count, double *gain)
{
    int with_rules, with_built_in, of_rules;
    const double over_rules =
        advantage_of(samples, count, CHOOSER_OCCUPANCY, CHOOSER_RULES, &with_rules);
    const double over_built_in =
        advantage_of(samples, count, CHOOSER_OCCUPANCY, CHOOSER_BUILT_IN, &with_built_in);
    const double of_built_in = advantage_of(samples, count, CHOOSER_BUILT_IN, CHOOSER_RULES, &of_rules);
    if (with_rules >= OCCUPANCY_LEAST && over_rules > CLEARLY && over_built_in > CLEARLY) {
        *gain = exp(over_built_in);
        return CHOOSER_OCCUPANCY;
    }
    *gain = exp(-of_built_in);
    return of_rules < RULES_LEAST || of_built_in > CLEARLY ? CHOOSER_BUILT_IN : CHOOSER_RULES;
}

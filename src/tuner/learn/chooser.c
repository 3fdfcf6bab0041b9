#include "tuner/learn/chooser.h"

#include "tuner/learn/statistics.h"

#include <math.h>

const char *const chooser_names[] = {"rules", "occupancy", "built-in"};

static const double TIE = 0.003, ERRORS = 1.5, TAIL = 0.2, TAIL_TIE = 0.01;

struct advantage {
    double mean, error; /* of log(time / time) */
};

static bool is_known(double seconds)
{
    return seconds > 0 && isfinite(seconds);
}

static double part(const struct chooser_sample *sample, enum chooser chooser)
{
    switch (chooser) {
    case CHOOSER_RULES: return sample->rules;
    case CHOOSER_OCCUPANCY: return sample->occupancy;
    default: return sample->built_in;
    }
}

/* Of `chooser` over `other`, where both are known. */
static struct advantage advantage(const struct chooser_sample *samples, size_t count, enum chooser chooser,
                                  enum chooser other)
{
    double sum = 0, squares = 0, known = 0, differences[CHOOSER_SAMPLES_MAX];
    size_t all = 0;
    for (size_t i = 0; i < count && all < CHOOSER_SAMPLES_MAX; i++) {
        const double own = part(&samples[i], chooser), its = part(&samples[i], other);
        if (is_known(own) && is_known(its))
            differences[all++] = log(its / own);
    }
    if (all < 2)
        return (struct advantage){0, HUGE_VAL};
    for (size_t i = 0; i < all; i++, known++) {
        sum += differences[i];
        squares += differences[i] * differences[i];
    }
    const double mean = sum / known, variance = (squares - sum * mean) / (known - 1);
    return (struct advantage){mean, sqrt(fmax(variance, 0) / known)};
}

/* A few held-out sizes, timed in a hurry, are no reason to drop rules. */
enum { OCCUPANCY_LEAST = 4 };

static bool has_occupancies(const struct chooser_sample *samples, size_t count)
{
    int known = 0;
    for (size_t i = 0; i < count; i++)
        known += is_known(samples[i].occupancy) && is_known(samples[i].rules);
    return known >= OCCUPANCY_LEAST;
}

static bool is_clear(struct advantage advantage)
{
    return advantage.mean > TIE && advantage.mean > ERRORS * advantage.error;
}

/* What the worst fifth of the sizes lose on the mean, as log(time / fastest); of those where the other's
 * time is known, too. 0: there are not two such. */
static double tail(const struct chooser_sample *samples, size_t count, enum chooser chooser,
                   enum chooser other)
{
    double losses[CHOOSER_SAMPLES_MAX];
    size_t known = 0;
    for (size_t i = 0; i < count && known < CHOOSER_SAMPLES_MAX; i++)
        if (is_known(part(&samples[i], chooser)) && is_known(part(&samples[i], other)) &&
            is_known(samples[i].fastest))
            losses[known++] = log(part(&samples[i], chooser) / samples[i].fastest);
    if (known < 2)
        return 0;
    statistics_median(losses, known); /* sorts */
    const size_t worst = (size_t)ceil(TAIL * (double)known);
    double sum = 0;
    for (size_t i = known - worst; i < known; i++)
        sum += losses[i];
    return sum / (double)worst;
}

/* Clearly on the mean, or where the worst sizes lose less. */
static bool beats(const struct chooser_sample *samples, size_t count, enum chooser chooser, enum chooser other)
{
    return is_clear(advantage(samples, count, chooser, other)) ||
           tail(samples, count, chooser, other) + TAIL_TIE < tail(samples, count, other, chooser);
}

static double gain_of(const struct chooser_sample *samples, size_t count, enum chooser chooser)
{
    return exp(advantage(samples, count, chooser, CHOOSER_BUILT_IN).mean);
}

enum chooser chooser_pick(const struct chooser_sample *samples, size_t count, bool has_occupancy,
                          double *gain)
{
    const bool is_judged = advantage(samples, count, CHOOSER_RULES, CHOOSER_BUILT_IN).error < HUGE_VAL;
    enum chooser chooser = CHOOSER_RULES;
    if (has_occupancy && has_occupancies(samples, count) &&
        is_clear(advantage(samples, count, CHOOSER_OCCUPANCY, CHOOSER_RULES)))
        chooser = CHOOSER_OCCUPANCY;
    if (chooser == CHOOSER_OCCUPANCY && !beats(samples, count, CHOOSER_OCCUPANCY, CHOOSER_BUILT_IN))
        chooser = CHOOSER_RULES;
    if (gain)
        *gain = gain_of(samples, count, chooser);
    if (chooser == CHOOSER_RULES && (!is_judged || beats(samples, count, CHOOSER_BUILT_IN, CHOOSER_RULES)))
        return CHOOSER_BUILT_IN;
    return chooser;
}

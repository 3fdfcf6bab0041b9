#include "tuner/learn/chooser.h"

#include <math.h>
#include <stdbool.h>

const char *const chooser_names[CHOOSERS] = {"rules", "occupancy", "built-in"};

static const double TIE = 0.003, ERRORS = 1.5;
enum { RULES_LEAST = 2, OCCUPANCY_LEAST = 4 /* samples */ };

struct advantage {
    double mean, error; /* of log(time / time) */
    int known;          /* samples that have both times */
};

static bool is_known(double seconds)
{
    return seconds > 0 && isfinite(seconds);
}

static struct advantage advantage_of(const struct chooser_sample *samples, size_t count, enum chooser chooser,
                                     enum chooser other)
{
    double sum = 0, squares = 0;
    int known = 0;
    for (size_t i = 0; i < count; i++) {
        const double own = samples[i].seconds[chooser], its = samples[i].seconds[other];
        if (!is_known(own) || !is_known(its))
            continue;
        const double difference = log(its / own);
        sum += difference;
        squares += difference * difference;
        known++;
    }
    if (known < RULES_LEAST)
        return (struct advantage){0, HUGE_VAL, known};
    const double mean = sum / known, variance = (squares - sum * mean) / (known - 1);
    return (struct advantage){mean, sqrt(fmax(variance, 0) / known), known};
}

static bool is_clear(struct advantage advantage)
{
    return advantage.mean > TIE && advantage.mean > ERRORS * advantage.error;
}

enum chooser chooser_pick(const struct chooser_sample *samples, size_t count, double *gain)
{
    const struct advantage over_rules = advantage_of(samples, count, CHOOSER_OCCUPANCY, CHOOSER_RULES),
                           over_built_in = advantage_of(samples, count, CHOOSER_OCCUPANCY, CHOOSER_BUILT_IN),
                           of_built_in = advantage_of(samples, count, CHOOSER_BUILT_IN, CHOOSER_RULES);
    if (over_rules.known >= OCCUPANCY_LEAST && is_clear(over_rules) && is_clear(over_built_in)) {
        *gain = exp(over_built_in.mean);
        return CHOOSER_OCCUPANCY;
    }
    *gain = exp(-of_built_in.mean);
    return of_built_in.known < RULES_LEAST || is_clear(of_built_in) ? CHOOSER_BUILT_IN : CHOOSER_RULES;
}

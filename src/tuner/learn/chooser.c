#include "tuner/learn/chooser.h"

#include <math.h>

const char *const chooser_names[CHOOSERS] = {"rules", "occupancy", "built-in"};

/* Of the logarithm of two times: less is noise over a few sizes. */
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

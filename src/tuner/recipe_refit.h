/* recipe_refit.h - a recipe's rules once more, from the times that a tuning left (tuning_table.h).
 *
 * Held-out sizes count among the samples, each at the nearest size of the grid; so only
 * foretelling (chooser.h) judges. Occupancy recipes stay as they are. Pure. */
#ifndef MUBLAS_RECIPE_REFIT_H
#define MUBLAS_RECIPE_REFIT_H

#include "tuner/chooser.h"
#include "tuner/tuning_table.h"

struct refit_summary {
    size_t sizes;  /* 0: the table has nothing of the class, and its rules are as before */
    int rules;
    double gain;   /* as in chooser_pick, foretold */
    double median, low; /* of the fastest sampled time over the foretold one; low: the 5th percentile */
    enum chooser chooser;
};

/* Makes the rules of all classes and forms that the table has finalists of anew. False: out
 * of memory. */
bool recipe_refit(const struct tuning_table *table, size_t rules_most, struct recipe *recipe,
                  struct refit_summary summaries[TUNING_CLASSES][TUNING_FORMS]);

#endif

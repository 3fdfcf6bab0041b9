/* chooser.h - who chooses the launch shapes of a class and form: its rules, its occupancy recipe, or what is
 * built in (and the class is left out of the recipe).
 *
 * Sizes that had no say in what the rules are decide, which were held out for it. They are few, so rules,
 * which rest on many more times, stay unless another choice is faster by more than noise. Pure. */
#ifndef MUBLAS_CHOOSER_H
#define MUBLAS_CHOOSER_H

#include <stddef.h>

enum chooser { CHOOSER_RULES, CHOOSER_OCCUPANCY, CHOOSER_BUILT_IN, CHOOSERS };
extern const char *const chooser_names[CHOOSERS]; /* "rules", "occupancy", "built-in" */

/* Seconds of one call by what each would choose; 0 or not finite: not known. */
struct chooser_sample {
    double seconds[CHOOSERS];
};

/* One beats another if it is on the mean more than half a percent faster. The optimizer chooses where four
 * samples have its time and it beats the rules and what is built in. Else the rules do, unless what is built
 * in beats them, or fewer than two samples compare the two. `gain`: built-in time over the chooser's, over
 * the rules' where what is built in chooses, a geometric mean; 1 where not known. */
enum chooser chooser_pick(const struct chooser_sample *samples, size_t count, double *gain);

#endif

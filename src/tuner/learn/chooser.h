/* chooser.h - who chooses the launch shapes of a class and form: its rules, its occupancy recipe, or what is
 * built in (and the class is left out of the recipe).
 *
 * Sizes that had no say in what the rules are decide, which were held out for it. They are few, so rules, which
 * rest on many more times, stay unless what is built in is faster by more than noise. Pure. */
#ifndef MUBLAS_CHOOSER_H
#define MUBLAS_CHOOSER_H

#include <stdbool.h>
#include <stddef.h>

enum chooser { CHOOSER_RULES, CHOOSER_OCCUPANCY, CHOOSER_BUILT_IN };
extern const char *const chooser_names[]; /* "rules", "occupancy", "built-in" */

/* Seconds of one call by what each would choose, and of the fastest shape; 0 or not finite: not known. */
struct chooser_sample {
    double rules, occupancy, built_in, fastest;
};
enum { CHOOSER_SAMPLES_MAX = 64 };

/* One beats another if log(time / time) is on the mean more than 0.003 and than 1.5 times its standard error, or
 * where the worst fifth of the sizes lose 1% less by it on the mean, against the fastest. The optimizer chooses
 * where four samples have its time, it beats the rules on the mean, and beats what is built in. Else the rules
 * do, unless what is built in beats them, or fewer than two samples compare the two. `gain` (may be NULL):
 * built-in time over the time by the optimizer if it chooses, else the rules, a geometric mean; 1 where not
 * known. */
enum chooser chooser_pick(const struct chooser_sample *samples, size_t count, bool has_occupancy,
                          double *gain);

#endif

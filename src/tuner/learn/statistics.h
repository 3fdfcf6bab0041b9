/* statistics.h - statistics of measured times, and the judgements of tuning by them: the border between two
 * ways, the champions among many candidates, the chooser of launch shapes. Functions are pure, but for the
 * one that times; those marked so sort their samples. */
#ifndef MUBLAS_STATISTICS_H
#define MUBLAS_STATISTICS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Was it measured? Zero and infinity stand for what was not. */
static inline bool statistics_is_time(double time)
{
    return time > 0 && isfinite(time);
}

/* Ascending. */
void statistics_sort(double *samples, size_t count);

/* The median of count >= 1 samples; sorts them. */
double statistics_median(double *samples, size_t count);

/* The mean of those of count >= 1 positive samples that are at most twice the least; sorts them. */
double statistics_usual_mean(double *samples, size_t count);

/* The value below which `part` (0 to 1) of sorted samples lie, interpolated. */
double statistics_quantile(const double *sorted, size_t count, double part);

/* A 95% confidence interval of the median by order statistics, free of any assumption on
 * the distribution (with fewer than 6 samples: all there is, at less confidence). */
struct interval {
    double low, high;
};
struct interval statistics_median_interval(const double *sorted, size_t count);

/* The order from which on one of two ways is the faster one.
 *
 * A border is searched by few and dear timings. The rule has two intervals: their border is where the ratio
 * of the times is one. */

/* The time of the way for large orders over that of the other at this order; false: it was not timed. */
typedef bool border_ratio(void *context, int64_t order, double *ratio);

/* Begins at the border known so far, which stays where the ways are as fast there, and goes on towards the
 * ratio one at three orders at most, none of them twice, each within 1.4 times the one before, or the next
 * multiple of 32, and none above `most`. 0: nothing was timed. */
int64_t border_search(int64_t known, int64_t most, border_ratio *ratio, void *context);

/* The sieve of champions is stage 1 of papers 002 and 003: from thousands of candidates, timed at a few
 * sizes, to the twenty that are worth timing at more. At each size the fastest `scoring` candidates get
 * points by rank: the first 1, the next (scoring - 1) / scoring, ... (the paper's "rank / 25", read so that
 * the first gets most). Equal times get equal points. The candidates with the most points over all sizes
 * stay. */
enum { SIEVE_SCORING = 25, SIEVE_KEPT = 20 }; /* the papers' */

struct champion {
    size_t candidate;
    double points;
};

/* times[size * candidates + candidate]; a time that is not positive and finite: not timed
 * there, and no points. Puts up to `wanted` champions into `kept`, most points first, with
 * equal points the smaller number. How many: only candidates with points. 0 as well if there is no memory. */
size_t champion_sieve(const double *times, size_t sizes, size_t candidates, unsigned scoring,
                      struct champion *kept, size_t wanted);

/* The chooser of a class and form is its rules, its occupancy recipe, or the built-in shape (and the class
 * is left out of the recipe). Sizes decide that were held out for it and had no say in the rules. They are
 * few, so rules, which rest on many more times, stay unless another choice is faster by more than noise. */
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

/* interval_rules.h - from curves to if-then rules: which candidate at which sizes.
 *
 * Papers 002 and 003 take the fastest curve at each size, which gives rules for a single
 * size where two curves cross within the noise. Here the rules minimise
 *     sum over the sizes of regret * octaves + switch_cost * (intervals - 1),
 * regret = log(time / fastest time) and octaves the share of log2(size) that a size stands
 * for: a change of candidate must earn its cost over the sizes that it serves. Exact, by
 * dynamic programming. */
#ifndef MUBLAS_INTERVAL_RULES_H
#define MUBLAS_INTERVAL_RULES_H

#include <stddef.h>
#include <stdint.h>

/* 0.2% over an octave, or 4% over a twentieth of one. */
#define INTERVAL_SWITCH_COST 0.002

struct interval_rule {
    int64_t first; /* the rule holds from this size to before the next rule's first */
    size_t candidate;
};

/* sizes[count]: ascending, above 0. times[candidate * count + i]: of a candidate at sizes[i];
 * not positive and finite: it cannot do that size. Puts at most `most` rules into `rules`,
 * raising switch_cost until they suffice; the first rule starts at sizes[0]. How many; 0: a
 * size that no candidate can do, or no memory. */
size_t interval_rules(const int64_t *sizes, size_t count, const double *times, size_t candidates,
                      double switch_cost, struct interval_rule *rules, size_t most);

#endif

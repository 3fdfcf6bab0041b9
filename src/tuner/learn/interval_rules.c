#include "tuner/learn/interval_rules.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static bool is_possible(double time)
{
    return isfinite(time) && time > 0;
}

/* Half of log2 from the size before to the size after. */
static double octaves(const int64_t *sizes, size_t count, size_t i)
{
    const double low = (double)sizes[i > 0 ? i - 1 : i], high = (double)sizes[i + 1 < count ? i + 1 : i];
    return count > 1 ? log2(high / low) / 2 : 1;
}

static double fastest(const double *times, size_t count, size_t candidates, size_t i)
{
    double least = INFINITY;
    for (size_t c = 0; c < candidates; c++)
        if (is_possible(times[c * count + i]) && times[c * count + i] < least)
            least = times[c * count + i];
    return least;
}

struct table {
    double *cost;  /* of the best rules up to a size that end with this candidate */
    size_t *from;  /* [size * candidates + candidate]: the candidate before */
    size_t winner; /* at the end */
};

static size_t least_of(const double *cost, size_t candidates)
{
    size_t least = 0;
    for (size_t c = 1; c < candidates; c++)
        if (cost[c] < cost[least])
            least = c;
    return least;
}

static void fill(struct table *table, const int64_t *sizes, size_t count, const double *times,
                 size_t candidates, double switch_cost)
{
    for (size_t c = 0; c < candidates; c++)
        table->cost[c] = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t cheapest = least_of(table->cost, candidates);
        const double best = fastest(times, count, candidates, i),
                     changed = table->cost[cheapest] + switch_cost;
        const double share = octaves(sizes, count, i);
        for (size_t c = 0; c < candidates; c++) {
            const double time = times[c * count + i];
            const bool changes = i > 0 && changed < table->cost[c];
            table->from[i * candidates + c] = changes ? cheapest : c;
            table->cost[c] = (changes ? changed : table->cost[c]) +
                             (is_possible(time) ? share * log(time / best) : INFINITY);
        }
    }
    table->winner = least_of(table->cost, candidates);
}

static size_t count_rules(const struct table *table, size_t count, size_t candidates)
{
    size_t rules = 1, candidate = table->winner;
    for (size_t i = count; i-- > 1;) {
        const size_t before = table->from[i * candidates + candidate];
        rules += before != candidate;
        candidate = before;
    }
    return rules;
}

static void write_rules(const struct table *table, const int64_t *sizes, size_t count, size_t candidates,
                        struct interval_rule *rules, size_t rule_count)
{
    size_t candidate = table->winner;
    for (size_t i = count; i-- > 0;) {
        const size_t before = table->from[i * candidates + candidate];
        if (i == 0 || before != candidate)
            rules[--rule_count] = (struct interval_rule){sizes[i], candidate};
        candidate = before;
    }
}

size_t interval_rules(const int64_t *sizes, size_t count, const double *times, size_t candidates,
                      double switch_cost, struct interval_rule *rules, size_t most)
{
    size_t rule_count = 0;
    if (count == 0 || candidates == 0 || most == 0)
        return 0;
    struct table table = {calloc(candidates, sizeof *table.cost),
                          calloc(count * candidates, sizeof *table.from), 0};
    if (table.cost && table.from) {
        const double highest = 1e6;
        do {
            fill(&table, sizes, count, times, candidates, switch_cost);
            rule_count = isfinite(table.cost[table.winner]) ? count_rules(&table, count, candidates) : 0;
            switch_cost = switch_cost > 0 ? switch_cost * 1.5 : INTERVAL_SWITCH_COST / 100;
        } while (rule_count > most && switch_cost < highest);
        if (rule_count > most) /* not even at any price: candidates that cannot do sizes */
            rule_count = 0;
        write_rules(&table, sizes, rule_count ? count : 0, candidates, rules, rule_count);
    }
    free(table.cost);
    free(table.from);
    return rule_count;
}

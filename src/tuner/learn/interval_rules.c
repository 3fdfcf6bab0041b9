#include "tuner/learn/class_tuning.h"
#include "tuner/learn/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* The normal equations (E'E + alpha^2 D'D) f = E'y, a band of five diagonals, as L D L': the diagonal
 * (once factorised its reciprocals), and the two below it. */
struct band {
    size_t length;
    double *diagonal, *below, *second, *values;
};

static bool band_make(struct band *band, size_t length)
{
    enum { ARRAYS = 4 };
    double *memory = calloc(ARRAYS * (length + 1), sizeof *memory);
    *band = (struct band){length, memory, memory + length, memory + 2 * length, memory + 3 * length};
    return memory;
}

static void band_free(struct band *band)
{
    free(band->diagonal);
}

static void add_smoothness(struct band *band, double alpha)
{
    static const double difference[3] = {1, -2, 1};
    const double square = alpha * alpha;
    for (size_t i = 0; i + 2 < band->length; i++)
        for (int j = 0; j < 3; j++) {
            band->diagonal[i + j] += square * difference[j] * difference[j];
            if (j < 2)
                band->below[i + j] += square * difference[j] * difference[j + 1];
            if (j < 1)
                band->second[i + j] += square * difference[j] * difference[j + 2];
        }
}

static void factorise(struct band *band)
{
    double *d = band->diagonal, *one = band->below, *two = band->second;
    for (size_t i = 0; i < band->length; i++) {
        d[i] = 1 / d[i];
        if (i + 1 < band->length) {
            const double factor = one[i] * d[i];
            d[i + 1] -= factor * one[i];
            if (i + 2 < band->length) {
                const double far = two[i] * d[i];
                one[i + 1] -= factor * two[i];
                d[i + 2] -= far * two[i];
                two[i] = far;
            }
            one[i] = factor;
        }
    }
}

/* In place: values are the right-hand side before. */
static void solve(struct band *band)
{
    const double *one = band->below, *two = band->second;
    double *values = band->values;
    for (size_t i = 1; i < band->length; i++)
        values[i] -= one[i - 1] * values[i - 1] + (i > 1 ? two[i - 2] * values[i - 2] : 0);
    for (size_t i = 0; i < band->length; i++)
        values[i] *= band->diagonal[i];
    for (size_t i = band->length - 1; i-- > 0;)
        values[i] -= one[i] * values[i + 1] + (i + 2 < band->length ? two[i] * values[i + 2] : 0);
}

static bool are_good(const struct spline_sample *samples, size_t count, size_t length)
{
    bool has_two = false;
    for (size_t i = 0; i < count; i++) {
        if (samples[i].position >= length || !isfinite(samples[i].value))
            return false;
        has_two = has_two || samples[i].position != samples[0].position;
    }
    return has_two;
}

bool spline_fit(const struct spline_sample *samples, size_t count, size_t length, double alpha,
                double *values)
{
    struct band band;
    if (!(alpha > 0) || !are_good(samples, count, length) || !band_make(&band, length))
        return false;
    for (size_t i = 0; i < count; i++) {
        band.diagonal[samples[i].position]++;
        band.values[samples[i].position] += samples[i].value;
    }
    add_smoothness(&band, alpha);
    factorise(&band);
    solve(&band);
    for (size_t i = 0; i < length; i++)
        values[i] = band.values[i];
    band_free(&band);
    return true;
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
        if (statistics_is_time(times[c * count + i]) && times[c * count + i] < least)
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

static void fill_table(struct table *table, const int64_t *sizes, size_t count, const double *times,
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
                             (statistics_is_time(time) ? share * log(time / best) : INFINITY);
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
            fill_table(&table, sizes, count, times, candidates, switch_cost);
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

/* At a size that was sampled the time is known but for its noise, which is less than what splines are off by:
 * so much counts of what it is. And how smooth splines are. */
static const double TRUST = 0.95, ALPHA = 1;

/* Behind the shapes what is built in counts as one more. */
static double sampled(const struct sampled_times *times, size_t shape, size_t size)
{
    if (shape == times->shape_count)
        return times->built_in[size];
    return times->seconds[shape * SIZE_GRID_MAX + size];
}

static bool is_sampled(const struct sampled_times *times, size_t shape, size_t size)
{
    return statistics_is_time(sampled(times, shape, size));
}

size_t sampled_beside(const struct sampled_times *times, size_t shape, size_t size, int step)
{
    while (sampled(times, shape, size) == 0 && (step < 0 ? size > 0 : size + 1 < times->sizes_count))
        size += (size_t)step;
    return size;
}

/* Between here and the next sampled size, downwards or upwards, could the shape do that one? */
static bool can(const struct sampled_times *times, size_t shape, size_t size)
{
    return isfinite(sampled(times, shape, sampled_beside(times, shape, size, -1))) &&
           isfinite(sampled(times, shape, sampled_beside(times, shape, size, 1)));
}

/* The curve of a shape where it can do the sizes around. */
static void fit(const struct sampled_times *times, size_t shape, double *curve)
{
    struct spline_sample samples[SIZE_GRID_MAX] = {{0, 0}};
    size_t count = 0;
    for (size_t i = 0; i < times->sizes_count; i++)
        if (is_sampled(times, shape, i))
            samples[count++] = (struct spline_sample){i, log(sampled(times, shape, i) / times->floor[i])};
    const bool good = spline_fit(samples, count, times->sizes_count, ALPHA, curve);
    for (size_t i = 0; i < times->sizes_count; i++) {
        curve[i] = good && can(times, shape, i) ? times->floor[i] * exp(curve[i]) : HUGE_VAL;
        if (isfinite(curve[i]) && is_sampled(times, shape, i))
            curve[i] *= pow(sampled(times, shape, i) / curve[i], TRUST);
    }
}

/* A rule ends half way, by ratio, to the size that the next one begins at; one whose shape
 * cannot do that size may not be able to do what lies between, either. */
static int64_t end_before(const struct sampled_times *times, size_t shape, int64_t first)
{
    size_t i = times->sizes_count - 1;
    while (i > 0 && times->sizes[i] >= first)
        i--;
    if (!can(times, shape, i + 1))
        return times->sizes[i];
    return (int64_t)sqrt((double)times->sizes[i] * (double)first);
}

/* Was any shape timed there? */
static bool was_sampled(const struct sampled_times *times, size_t size)
{
    for (size_t shape = 0; shape <= times->shape_count; shape++)
        if (is_sampled(times, shape, size))
            return true;
    return false;
}

/* Shapes that were not timed at the sampled sizes around are far behind. */
static void put_back_unknown(const struct sampled_times *times, double *curves)
{
    static const double FAR = 4;
    const size_t length = times->sizes_count;
    size_t below[SIZE_GRID_MAX], above[SIZE_GRID_MAX];
    for (size_t i = 0; i < length; i++)
        below[i] = was_sampled(times, i) ? i : i > 0 ? below[i - 1] : length;
    for (size_t i = length; i-- > 0;)
        above[i] = was_sampled(times, i) ? i : i + 1 < length ? above[i + 1] : length;
    for (size_t shape = 0; shape <= times->shape_count; shape++)
        for (size_t i = 0; i < length; i++)
            if ((below[i] < length && sampled(times, shape, below[i]) == 0) ||
                (above[i] < length && sampled(times, shape, above[i]) == 0))
                curves[shape * length + i] *= FAR;
}

/* A shape's loss at a sampled size is known and not foretold: a loss beyond KNOWN counts several times, so
 * that a rule is worth its price for a single size where tiles end badly for its neighbours'
 * shape. */
static void stress_known(const struct sampled_times *times, double *curves)
{
    static const double KNOWN = 1.03, TIMES = 8;
    const size_t length = times->sizes_count;
    for (size_t i = 0; i < length; i++) {
        double least = HUGE_VAL;
        for (size_t shape = 0; shape <= times->shape_count; shape++)
            least = fmin(least, curves[shape * length + i]);
        for (size_t shape = 0; shape <= times->shape_count && was_sampled(times, i); shape++) {
            double *seconds = &curves[shape * length + i];
            if (isfinite(*seconds) && *seconds > KNOWN * least)
                *seconds *= pow(*seconds / (KNOWN * least), TIMES);
        }
    }
}

bool sampled_rules_make(const struct sampled_times *times, size_t most, struct class_recipe *rules)
{
    const size_t length = times->sizes_count, candidates = times->shape_count + 1;
    static const struct launch_shape built_in = {.edge = 0};
    struct interval_rule found[RECIPE_INTERVALS_MAX];
    double *curves = calloc(candidates * length, sizeof *curves);
    if (!curves)
        return false;
    for (size_t shape = 0; shape < candidates; shape++)
        fit(times, shape, curves + shape * length);
    put_back_unknown(times, curves);
    stress_known(times, curves);
    const size_t count =
        interval_rules(times->sizes, length, curves, candidates, INTERVAL_SWITCH_COST, found,
                       most < RECIPE_INTERVALS_MAX ? most : RECIPE_INTERVALS_MAX);
    free(curves);
    for (size_t i = 0; i < count; i++) {
        rules->intervals[i].upto =
            i + 1 < count ? end_before(times, found[i].candidate, found[i + 1].first) : INT64_MAX;
        rules->intervals[i].shape =
            found[i].candidate < times->shape_count ? times->shapes[found[i].candidate] : built_in;
    }
    rules->interval_count = (int)count;
    return count > 0;
}

/* Rules from curves: least cost against all sequences there are, few rules in noise. */
#include "tuner/learn/class_tuning.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>

static uint64_t random_state = 3;

static double draw(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) / 9007199254740992.0;
}

/* The candidate of a size: the last rule's that starts no later. */
static size_t candidate_at(const struct interval_rule *rules, size_t count, int64_t size)
{
    while (count > 1 && rules[count - 1].first > size)
        count--;
    return rules[count - 1].candidate;
}

enum { SIZES = 6, CANDIDATES = 3, SEQUENCES = 729 };

/* The cost as the header has it, of a choice for each size. */
static double cost_of(const int64_t *sizes, const double *times, const size_t *choice, double switch_cost)
{
    double cost = 0;
    for (size_t i = 0; i < SIZES; i++) {
        double best = INFINITY;
        for (size_t c = 0; c < CANDIDATES; c++)
            best = fmin(best, times[c * SIZES + i]);
        const double low = i > 0 ? log2((double)sizes[i - 1]) : log2((double)sizes[i]);
        const double high = i + 1 < SIZES ? log2((double)sizes[i + 1]) : log2((double)sizes[i]);
        cost += (high - low) / 2 * log(times[choice[i] * SIZES + i] / best);
        cost += i > 0 && choice[i] != choice[i - 1] ? switch_cost : 0;
    }
    return cost;
}

static void test_least_cost(void)
{
    double largest = 0;
    size_t rules_seen[SIZES + 1] = {0};
    for (int round = 0; round < 200; round++) {
        int64_t sizes[SIZES];
        double times[SIZES * CANDIDATES];
        const double switch_cost = 0.4 * draw();
        for (size_t i = 0; i < SIZES; i++)
            sizes[i] = (i > 0 ? sizes[i - 1] : 0) + 1 + (int64_t)(9 * draw());
        for (size_t i = 0; i < SIZES * CANDIDATES; i++)
            times[i] = 1 + draw();
        double least = INFINITY;
        for (size_t sequence = 0; sequence < SEQUENCES; sequence++) {
            size_t choice[SIZES], rest = sequence;
            for (size_t i = 0; i < SIZES; i++, rest /= CANDIDATES)
                choice[i] = rest % CANDIDATES;
            least = fmin(least, cost_of(sizes, times, choice, switch_cost));
        }
        struct interval_rule rules[SIZES];
        const size_t count = interval_rules(sizes, SIZES, times, CANDIDATES, switch_cost, rules, SIZES);
        size_t choice[SIZES];
        for (size_t i = 0; i < SIZES; i++)
            choice[i] = candidate_at(rules, count, sizes[i]);
        largest = fmax(largest, fabs(cost_of(sizes, times, choice, switch_cost) - least));
        rules_seen[count]++;
    }
    tap_ok(largest < 1e-12, "200 random sets of curves: no sequence of candidates costs less");
    tap_ok(rules_seen[1] > 0 && rules_seen[2] > 0 && rules_seen[3] > 0 && rules_seen[0] == 0,
           "with one, two and three rules among them");
}

enum { LONG = 256 };

static void fill_sizes(int64_t *sizes)
{
    for (int i = 0; i < LONG; i++)
        sizes[i] = i + 1;
}

/* Two curves that cross once, at size 40, with 0.5% of noise: the fastest at each size
 * alternates, as at 8059 and 8060 in table 5 of paper 002. */
static void test_noise(void)
{
    int64_t sizes[LONG];
    double times[2][LONG];
    struct interval_rule rules[8];
    size_t changes = 0, latest = 0;
    fill_sizes(sizes);
    for (int i = 0; i < LONG; i++) {
        const double tilt = 0.03 * log2((i + 1) / 40.0);
        times[0][i] = (1 + tilt) * (1 + 0.01 * (draw() - 0.5));
        times[1][i] = 1 + 0.01 * (draw() - 0.5);
        const size_t fastest = times[1][i] < times[0][i];
        changes += fastest != latest;
        latest = fastest;
    }
    const size_t count = interval_rules(sizes, LONG, &times[0][0], 2, INTERVAL_SWITCH_COST, rules, 8);
    tap_ok(changes > 4, "the fastest changes %zu times", changes);
    tap_ok(count == 2 && rules[0].candidate == 0 && rules[1].candidate == 1 && rules[1].first > 30 &&
               rules[1].first < 52,
           "two rules, the second from %lld", count == 2 ? (long long)rules[1].first : -1);
    double largest = 0, sum = 0;
    for (int i = 0; i < LONG && count > 0; i++) {
        const double regret =
            times[candidate_at(rules, count, sizes[i])][i] / fmin(times[0][i], times[1][i]) - 1;
        largest = fmax(largest, regret), sum += regret;
    }
    tap_ok(largest < 0.02 && sum / LONG < 0.005 && sum > 0, "regret at most %.4f, mean %.4f", largest,
           sum / LONG);
}

static void test_most(void)
{
    int64_t sizes[LONG];
    double times[4][LONG];
    struct interval_rule rules[4];
    fill_sizes(sizes);
    for (int i = 0; i < LONG; i++)
        for (int c = 0; c < 4; c++)
            times[c][i] = 1 + fabs(log2(i + 1) - 2 * c - 1);
    tap_ok(interval_rules(sizes, LONG, &times[0][0], 4, 0, rules, 4) == 4 && rules[0].first == 1 &&
               rules[0].candidate == 0 && rules[3].candidate == 3, "four curves, four rules");
    tap_ok(interval_rules(sizes, LONG, &times[0][0], 4, 0, rules, 2) == 2, "two rules where two is the most");
    tap_ok(interval_rules(sizes, LONG, &times[0][0], 4, 0, rules, 1) == 1 && rules[0].first == 1, "and one");
}

static void test_impossible(void)
{
    const int64_t sizes[3] = {1, 2, 4};
    double times[2][3] = {{1, 1, INFINITY}, {NAN, 2, 2}};
    struct interval_rule rules[3];
    tap_ok(interval_rules(sizes, 3, &times[0][0], 2, 100, rules, 3) == 2 && rules[1].first <= 4 &&
               candidate_at(rules, 2, 4) == 1 && candidate_at(rules, 2, 1) == 0,
           "what a candidate cannot do it is not chosen for, whatever a change costs");
    tap_ok(interval_rules(sizes, 3, &times[0][0], 2, 0, rules, 1) == 0, "no rules where one would not do");
    times[1][2] = 0;
    tap_ok(interval_rules(sizes, 3, &times[0][0], 2, 0, rules, 3) == 0, "nor where nobody can do a size");
    tap_ok(interval_rules(sizes, 0, &times[0][0], 2, 0, rules, 3) == 0, "nor for no sizes");
}

UNIT_TEST(test_interval_rules)
{
    test_least_cost();
    test_noise();
    test_most();
    test_impossible();
    return tap_done();
}

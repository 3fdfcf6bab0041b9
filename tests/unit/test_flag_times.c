/* What flags make of times, from planted ones: test_flag_times [SEED]. */
#include "tap.h"
#include "tuner/flag_times.h"
#include "tuner/learned_times.h"

#include <math.h>
#include <string.h>

static uint64_t state;

/* In [0, 1). */
static double random_part(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* As a host is, upwards alone: half of the calls by a tenth and more, a tenth by 1.4, some fourfold. */
static double disturbed(double us)
{
    const double part = random_part();
    return us * (1 + 0.2 * part + 3 * pow(part, 24));
}

struct plan {
    int samples, moments;
    bool quiet;      /* no disturbance */
    int sets;        /* of these only, in turn: on the host of flags, on the device of its own */
    double factors[DEVICE_SETS_MOST];
};

/* On the host leading dimensions are odd every other time, which makes no difference there. */
static void plant(struct moments_table *table, int class, enum call_side side, const struct plan *plan)
{
    memset(table, 0, sizeof *table);
    for (int i = 0; i < plan->samples; i++) {
        struct sample_moments *sample = sample_moments_at(table, class, side, 1000 * (i + 1));
        for (int moment = 0; moment < plan->moments; moment++) {
            const int set = (i + moment) % plan->sets, odd = (i + moment / plan->sets) % 2;
            const double us = 7 * (i + 1) * plan->factors[set];
            sample_moments_add(sample, plan->quiet ? us : disturbed(us),
                               side == SIDE_HOST ? 2 * set + odd : set, 0);
        }
    }
}

/* The factors by the device's sets, of the host by flags; whether both of a pair are the same there. */
static bool fit(const struct moments_table *table, int class, enum call_side side, double *factors)
{
    double all[DEVICE_SETS_MOST];
    bool same = true;
    flag_times_fit(table, class, side, all);
    for (int set = 0; set < DEVICE_SETS_MOST; set++)
        factors[set] = all[side == SIDE_HOST ? 2 * set % DEVICE_SETS_MOST : set];
    for (int set = 0; set < FLAG_SETS_MOST; set++)
        same = same && all[2 * set] == all[2 * set + 1];
    return same;
}

static double geometric_mean(const double *factors, int sets)
{
    double sum = 0;
    for (int set = 0; set < sets; set++)
        sum += log(factors[set]);
    return exp(sum / sets);
}

/* The worst ratio of a factor to the planted one, both over their means. */
static double worst_of(const double *factors, const struct plan *plan)
{
    const double found = geometric_mean(factors, plan->sets);
    const double exact = geometric_mean(plan->factors, plan->sets);
    double worst = 1;
    for (int set = 0; set < plan->sets; set++) {
        const double ratio = factors[set] / found / (plan->factors[set] / exact);
        worst = fmax(worst, fmax(ratio, 1 / ratio));
    }
    return worst;
}

static void test_planted(struct moments_table *table)
{
    static const struct {
        const char *class;
        enum call_side side;
        double within; /* the more sets there are, the fewer moments each has */
        struct plan plan;
    } plans[] = {
        {"dsymm_left_deep", SIDE_HOST, 1.03, {24, 16, .sets = 2, .factors = {1, 1.4}}},
        {"dsyr2k_deep", SIDE_HOST, 1.06, {24, 16, .sets = 4, .factors = {1, 1.4, 0.8, 1.15}}},
        {"zgemm_deep", SIDE_HOST, 1.09,
         {24, 16, .sets = 9, .factors = {1, 1.1, 1.2, 1.4, 1.3, 1, 0.9, 0.8, 1.2}}},
        {"ztrmm_left_panel", SIDE_HOST, 1.11,
         {24, 16, .sets = 12, .factors = {1, 1.4, 1, 1.4, 1, 1, 1, 1, 1.6, 1, 0.8, 1}}},
        {"daxpy", SIDE_DEVICE, 1.03, {24, 16, .sets = 2, .factors = {1, 1.2}}},
        {"dsymm_left_deep", SIDE_DEVICE, 1.06, {24, 16, .sets = 4, .factors = {1, 2.2, 1.1, 1.6}}},
        {"dgemm_deep", SIDE_DEVICE, 1.07, {24, 16, .sets = 8, .factors = {1, 1, 1, 1, 1.1, 1.6, 1, 1.6}}},
        {"ztrmm_left_panel", SIDE_DEVICE, 1.2,
         {24, 16, .sets = 24, .factors = {1, 1, 1, 1, 1, 3.3, 1, 1, 1, 2.4, 1, 1,
                                          1, 1, 1.2, 1.2, 1, 1, 1, 1.5, 1, 1, 1, 1}}}};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const int class = timed_class_parse(plans[i].class), sets = plans[i].plan.sets;
        const enum call_side side = plans[i].side, other = side == SIDE_HOST ? SIDE_DEVICE : SIDE_HOST;
        double factors[DEVICE_SETS_MOST];
        plant(table, class, side, &plans[i].plan);
        const bool same = fit(table, class, side, factors);
        const double worst = worst_of(factors, &plans[i].plan), mean = geometric_mean(factors, sets);
        tap_ok(sets == (side == SIDE_HOST ? flag_sets_of(class) : device_sets_of(class)) &&
                   same == (side == SIDE_HOST) && worst < plans[i].within,
               "planted factors of %s are found through disturbances: within %.3f", plans[i].class, worst);
        tap_ok(fabs(mean - 1) < 1e-9, "and their geometric mean is 1: %.9f", mean);
        fit(table, class, other, factors);
        tap_ok(factors[0] == 1 && factors[sets - 1] == 1, "nothing is said of the other side");
    }
}

/* The factor of dsymm's second set over its first, with so many samples and moments. */
static double ratio_by(struct moments_table *table, double ratio, int samples, int moments, bool quiet)
{
    const struct plan plan = {samples, moments, .quiet = quiet, .sets = 2, .factors = {1, ratio}};
    const int class = timed_class_parse("dsymm_left_deep");
    double factors[DEVICE_SETS_MOST];
    plant(table, class, SIDE_HOST, &plan);
    fit(table, class, SIDE_HOST, factors);
    return factors[1] / factors[0];
}

/* Over many disturbed tries. */
static double usual_ratio(struct moments_table *table, double ratio, int samples, int moments)
{
    enum { TRIES = 60 };
    double sum = 0;
    for (int i = 0; i < TRIES; i++)
        sum += log(ratio_by(table, ratio, samples, moments, false)) / TRIES;
    return exp(sum);
}

static void test_few(struct moments_table *table)
{
    const double none = ratio_by(table, 2, 0, 0, true), single = ratio_by(table, 2, 1, 2, true);
    tap_ok(none == 1 && single < 1.2, "of no moments nothing is known, of two little: %.3f instead of 2",
           single);
    const double one = usual_ratio(table, 1.2, 1, 4), some = usual_ratio(table, 1.2, 3, 4);
    const double many = usual_ratio(table, 1.2, 20, 16), quiet = ratio_by(table, 1.2, 3, 4, true);
    tap_ok(one > 1.01 && one < some && some < 1.17 && many > 1.18 && many < 1.22 && quiet > 1.18,
           "few moments that scatter say little: %.3f, %.3f, %.3f instead of 1.2, and %.3f if they do not",
           one, some, many, quiet);
    const double thrice = usual_ratio(table, 3, 6, 4), same = usual_ratio(table, 1.2, 6, 4);
    tap_ok(log(thrice) / log(3) > log(same) / log(1.2),
           "the more a set makes the sooner: %.3f instead of 3, %.3f of 1.2", thrice, same);
    const double singles = ratio_by(table, 2, 24, 1, true), pairs = usual_ratio(table, 1.2, 20, 2);
    tap_ok(singles > 1.05 && singles < 2 && pairs > 1.1 && pairs < 1.2,
           "of samples with one moment or two neighbours tell: %.3f instead of 2, %.3f of 1.2", singles,
           pairs);
}

/* Flags make nothing, but one time in so many takes three times as long, and all scatter: of few times none
 * of these makes a set's factor. How many in a thousand of the host's are beyond 1.28. */
static int wrong_factors(struct moments_table *table, int samples, int moments)
{
    enum { TRIES = 250, ONE_IN = 20 };
    const int class = timed_class_parse("dsyr2k_deep"), sets = flag_sets_of(class);
    int wrong = 0;
    for (int try = 0; try < TRIES; try++) {
        double factors[DEVICE_SETS_MOST];
        memset(table, 0, sizeof *table);
        for (int i = 0; i < samples; i++) {
            struct sample_moments *sample = sample_moments_at(table, class, SIDE_HOST, 1000 * pow(1.5, i));
            for (int moment = 0; moment < moments; moment++) {
                const double slow = random_part() * ONE_IN < 1 ? 3 : 1;
                sample_moments_add(sample, 7 * pow(1.5, i) * slow * (0.92 + 0.16 * random_part()),
                                   2 * ((i + moment) % sets), 0);
            }
        }
        fit(table, class, SIDE_HOST, factors);
        for (int set = 0; set < sets; set++)
            wrong += fabs(log(factors[set])) > 0.25;
    }
    return wrong * 1000 / (TRIES * sets);
}

static void test_disturbed(struct moments_table *table)
{
    static const struct {
        int samples, moments;
    } few[] = {{5, 1}, {6, 1}, {3, 2}, {5, 2}, {8, 2}, {5, 3}};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        const int wrong = wrong_factors(table, few[i].samples, few[i].moments);
        tap_ok(wrong <= 30, "disturbed times make no factors, of %d samples of %d: %d of 1000",
               few[i].samples, few[i].moments, wrong);
    }
}

static void test_untimed(struct moments_table *table)
{
    const int class = timed_class_parse("dsyr2k_deep"), axpy = timed_class_parse("daxpy");
    const struct plan plan = {12, 16, .sets = 2, .factors = {1, 1.4}}, single = {12, 16, .sets = 1,
                                                                                .factors = {3}};
    double factors[DEVICE_SETS_MOST];
    plant(table, class, SIDE_HOST, &plan);
    fit(table, class, SIDE_HOST, factors);
    tap_ok(worst_of(factors, &plan) < 1.06 && fabs(factors[2] - 1) < 0.06 && fabs(factors[3] - 1) < 0.06,
           "flags of which nothing was timed take the average: %.3f, %.3f", factors[2], factors[3]);
    plant(table, axpy, SIDE_HOST, &single);
    fit(table, axpy, SIDE_HOST, factors);
    tap_ok(factors[0] == 1, "where there are no flags they make nothing");
}

/* A machine that stands still whenever it is one set's turn: the text takes what is learned of it. */
static void test_absurd(struct moments_table *table)
{
    const int class = timed_class_parse("dsymm_left_deep");
    const struct plan plan = {24, 16, .quiet = true, .sets = 2, .factors = {1, 1e9}};
    struct learned_times *times = calloc(1, sizeof *times), *again = malloc(sizeof *again);
    double factors[DEVICE_SETS_MOST];
    char fault[LEARNED_FAULT_BYTES] = "";
    plant(table, class, SIDE_HOST, &plan);
    flag_times_fit(table, class, SIDE_HOST, times->device_sets[class]);
    fit(table, class, SIDE_HOST, factors);
    memcpy(times->flags[class], factors, sizeof times->flags[class]);
    tap_ok(times->flags[class][0] == 1. / FLAG_FACTOR_MOST && times->flags[class][1] == FLAG_FACTOR_MOST,
           "no factor is beyond bounds: %g, %g", times->flags[class][0], times->flags[class][1]);
    char *text = learned_times_text(times);
    const bool read = text && learned_times_parse(again, text, fault);
    tap_ok(read && again->flags[class][1] == FLAG_FACTOR_MOST &&
               again->device_sets[class][3] == FLAG_FACTOR_MOST, "and a recipe with them is read: %s",
           read ? "all" : fault);
    free(text);
    free(again);
    free(times);
}

int main(int count, char **arguments)
{
    const uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 0) : 1;
    struct moments_table *table = malloc(sizeof *table);
    printf("# seed %llu\n", (unsigned long long)seed);
    state = seed;
    test_planted(table);
    test_few(table);
    test_disturbed(table);
    test_untimed(table);
    test_absurd(table);
    free(table);
    return tap_done();
}

/* Work over several devices: paper 004's examples, and the measured split against all there are. */
#include "tuner/online/work_split.h"
#include "tap.h"

#include <math.h>

static void test_elements(int fewer, int more, double weight, int64_t items, int64_t wanted, const char *what)
{
    const int elements[2] = {more, fewer};
    int64_t shares[2];
    work_split_by_elements(elements, 2, weight, items, shares);
    tap_ok(shares[1] == wanted && shares[0] == items - wanted, "%s: %lld : %lld", what, (long long)shares[1],
           (long long)shares[0]);
}

/* Table 4: GeForce 8800 GTS with 128 processing elements, Quadro 2000D with 192. */
static void test_table_4(void)
{
    test_elements(128, 192, WORK_WEIGHT_LARGE, 10, 1, "much computation");
    test_elements(128, 192, WORK_WEIGHT_MEDIUM, 10, 3, "medium");
    test_elements(128, 192, WORK_WEIGHT_SMALL, 10, 5, "little");
    test_elements(192, 200, WORK_WEIGHT_LARGE, 1000, 500, "closer than 2 : 3");
}

/* The example below equation 7: 2 : 5, medium, 1000 items. The page multiplies by 0.3, the
 * part of table 4, and comes to 86 and 914; equation 7 has the weight 0.75 there. */
static void test_example(void)
{
    test_elements(2, 5, 0.3, 1000, 86, "the example with its factor 0.3");
    test_elements(2, 5, WORK_WEIGHT_MEDIUM, 1000, 214, "by equation 7");
}

/* 128, 192, 2496: 0.3 : 0.7 and 192/2688 * 0.75 = 3/56 : 53/56, so 9 : 21 : 371. */
static void test_chain(void)
{
    const int elements[3] = {2496, 128, 192};
    int64_t shares[3];
    work_split_by_elements(elements, 3, WORK_WEIGHT_MEDIUM, 401, shares);
    tap_ok(shares[1] == 9 && shares[2] == 21 && shares[0] == 371, "the three of table 3: %lld : %lld : %lld",
           (long long)shares[1], (long long)shares[2], (long long)shares[0]);
    bool good = true;
    const int equal[5] = {7, 7, 7, 7, 7};
    for (int64_t items = 0; items < 50; items++) {
        int64_t parts[5], sum = 0;
        work_split_by_elements(equal, 5, WORK_WEIGHT_SMALL, items, parts);
        for (int i = 0; i < 5; i++)
            sum += parts[i], good = good && parts[i] >= 0 && parts[i] <= items / 5 + 5;
        good = good && sum == items;
    }
    tap_ok(good, "five equal devices, up to 49 items: all dealt, none twice");
}

static uint64_t random_state = 11;

static double draw(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) / 9007199254740992.0;
}

/* The earliest finish over all ways to deal whole units. */
static double brute_force(const struct work_device *devices, int64_t units, int64_t unit)
{
    double least = INFINITY;
    for (int64_t a = 0; a <= units; a++)
        for (int64_t b = 0; a + b <= units; b++) {
            const int64_t shares[3] = {a * unit, b * unit, (units - a - b) * unit};
            least = fmin(least, work_split_finish(devices, 3, shares));
        }
    return least;
}

static void test_optimal(void)
{
    double worst = 0;
    unsigned idle = 0, wrong = 0;
    for (int round = 0; round < 300; round++) {
        const int64_t units = 1 + (int64_t)(30 * draw()), unit = 1 + (int64_t)(64 * draw());
        struct work_device devices[3];
        int64_t shares[3];
        for (int i = 0; i < 3; i++)
            devices[i] = (struct work_device){1 + 20 * draw(), draw() < 0.3 ? 0 : 60 * draw()};
        if (round % 4 == 0)
            devices[round % 3].items_per_us = 0;
        work_split_measured(devices, 3, units * unit, unit, shares);
        const double least = brute_force(devices, units, unit);
        worst = fmax(worst, work_split_finish(devices, 3, shares) / least - 1);
        for (int i = 0; i < 3; i++) {
            idle += shares[i] == 0 && devices[i].items_per_us > 0;
            wrong += shares[i] % unit != 0 || shares[i] < 0;
        }
        wrong += shares[0] + shares[1] + shares[2] != units * unit;
    }
    tap_ok(worst < 1e-9 && wrong == 0, "300 random splits end as early as the best of all");
    tap_ok(idle > 20, "%u times a device's overhead is not worth it", idle);
}

static void test_remainders(void)
{
    const struct work_device devices[2] = {{100, 10}, {50, 10}}, none[2] = {{0, 0}, {0, 0}};
    bool good = true;
    int64_t shares[2];
    for (int64_t items = 1; items < 5000; items += 7) {
        work_split_measured(devices, 2, items, 32, shares);
        good = good && shares[0] + shares[1] == items && shares[0] >= 0 && shares[1] >= 0 &&
               (shares[0] % 32 == 0 || shares[1] % 32 == 0);
    }
    tap_ok(good, "at most one share is not a multiple of the unit, and all items are dealt");
    work_split_measured(devices, 2, INT64_C(3) << 40, 32, shares);
    tap_ok(llabs(shares[0] - (INT64_C(2) << 40)) <= 64, "3 x 2^40 items, 2 : 1");
    work_split_measured(none, 2, 100, 32, shares);
    tap_ok(shares[0] == 100 && shares[1] == 0, "no device to be used: the first has all");
    work_split_measured(devices, 2, 0, 32, shares);
    tap_ok(shares[0] == 0 && shares[1] == 0, "no items");
}

/* The baseline ignores what was measured: memory-bound work on devices whose elements do not
 * tell their bandwidth. */
static void test_baseline(void)
{
    const int elements[2] = {2496, 192};
    const struct work_device devices[2] = {{208, 0}, {41.6, 0}};
    int64_t measured[2], papers[2];
    work_split_measured(devices, 2, 10000, 32, measured);
    work_split_by_elements(elements, 2, WORK_WEIGHT_SMALL, 10000, papers);
    const double first = work_split_finish(devices, 2, measured),
                 second = work_split_finish(devices, 2, papers);
    tap_ok(first < 0.95 * second, "by measured bandwidth done after %.1f us, by elements after %.1f", first,
           second);
}

int main(void)
{
    test_table_4();
    test_example();
    test_chain();
    test_optimal();
    test_remainders();
    test_baseline();
    return tap_done();
}

/* The border between two ways by few timings, on planted ratios. */
#include "tap.h"
#include "tuner/learn/statistics.h"
#include "unit_test.h"

#include <math.h>

struct plant {
    double border, power, noise; /* of the ratio: (order / border)^-power */
    int timed, most;             /* as many orders as there is time for */
    int64_t orders[8];
};

static bool planted_ratio(void *context, int64_t order, double *ratio)
{
    struct plant *plant = context;
    if (plant->timed == plant->most)
        return false;
    *ratio = pow((double)order / plant->border, -plant->power) *
             (1 + (plant->timed % 2 ? 1 : -1) * plant->noise);
    plant->orders[plant->timed++] = order;
    return true;
}

static bool is_near(int64_t order, double border, double part)
{
    return fabs((double)order / border - 1) <= part;
}

static void test_planted(void)
{
    int wrong = 0, far = 0;
    for (double border = 2500; border < 9000; border *= 1.05) {
        struct plant plant = {.border = border, .power = 0.8, .noise = 0.003, .most = 8};
        const int64_t found = border_search(4416, INT32_MAX, planted_ratio, &plant);
        wrong += !is_near(found, border, 0.04);
        far += plant.timed > 3 || plant.orders[0] != 4416;
    }
    tap_ok(wrong == 0 && far == 0, "planted borders are found by three orders: %d are not, %d by more", wrong,
           far);
    struct plant plant = {.border = 4480, .power = 0.8, .most = 8};
    tap_ok(border_search(4416, INT32_MAX, planted_ratio, &plant) == 4416 && plant.timed == 1,
           "where both ways are as fast the known border stays");
}

static void test_limits(void)
{
    struct plant far = {.border = 1e6, .power = 0.8, .most = 8},
                 near = {.border = 10, .power = 0.8, .most = 8};
    const int64_t above = border_search(6144, INT32_MAX, planted_ratio, &far),
                  below = border_search(6144, INT32_MAX, planted_ratio, &near);
    tap_ok(above > 13000 && above < 14200 && below > 2600 && below < 2900 && far.timed == 3 &&
               near.timed == 3,
           "one that is far away is not guessed beyond what was timed: %lld and %lld", (long long)above,
           (long long)below);
    struct plant small = {.border = 10, .power = 0.8, .most = 8},
                 high = {.border = 500, .power = 0.8, .most = 8};
    tap_ok(border_search(384, 416, planted_ratio, &high) == 416 && high.orders[1] == 416 &&
               border_search(384, 352, planted_ratio, &small) < 200 && small.orders[0] == 352,
           "nor above the greatest order");
    int wrong = 0;
    for (int64_t most = 32; most <= 256; most += 32) {
        struct plant low = {.border = 10, .power = 0.8, .noise = -0.01, .most = 8},
                     great = {.border = 500, .power = 0.8, .noise = -0.01, .most = 8};
        const int64_t found = border_search(384, most, planted_ratio, &low);
        wrong += most > 32 ? found > most * 3 / 4 : found != 32;
        for (int i = 1; i < low.timed; i++)
            wrong += low.orders[i] >= low.orders[i - 1];
        wrong += border_search(384, most, planted_ratio, &great) != most || great.timed != 1;
    }
    tap_ok(wrong == 0, "small orders are timed once each: %d wrong", wrong);
    struct plant rising = {.border = 1e6, .power = -0.5, .most = 8},
                 falling = {.border = 10, .power = -0.5, .most = 8};
    tap_ok(border_search(6144, INT32_MAX, planted_ratio, &falling) > 13000 &&
               border_search(6144, INT32_MAX, planted_ratio, &rising) < 2900,
           "a ratio that rises leads away from the slower way");
}

static void test_time(void)
{
    struct plant none = {.border = 5000, .power = 0.8}, one = {.border = 8000, .power = 0.8, .most = 1};
    tap_ok(border_search(4416, INT32_MAX, planted_ratio, &none) == 0,
           "where nothing was timed nothing is found");
    const int64_t found = border_search(4416, INT32_MAX, planted_ratio, &one);
    tap_ok(found > 4416 && found < 5200, "one order tells the direction: %lld", (long long)found);
}

UNIT_TEST(test_border_search)
{
    test_planted();
    test_limits();
    test_time();
    return tap_done();
}

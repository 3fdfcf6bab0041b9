/* The champion sieve: points by rank over the sizes. */
#include "tuner/learn/statistics.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>

/* Three sizes, five candidates; points to the first four are 1, 3/4, 2/4, 1/4. */
static void test_order(void)
{
    const double times[3][5] = {{1, 2, 3, 4, 5}, {2, 1, 9, 3, 8}, {50, 40, 10, 30, 20}};
    const size_t order[5] = {1, 0, 2, 3, 4};
    const double points[5] = {2, 1.75, 1.5, 1.25, 1};
    struct champion kept[5];
    tap_ok(champion_sieve(&times[0][0], 3, 5, 4, kept, 5) == 5, "all five have points");
    for (int i = 0; i < 5; i++)
        tap_ok(kept[i].candidate == order[i] && fabs(kept[i].points - points[i]) < 1e-12,
               "place %d: candidate %zu with %g points", i + 1, kept[i].candidate, kept[i].points);
    tap_ok(champion_sieve(&times[0][0], 3, 5, 4, kept, 2) == 2 && kept[1].candidate == 0,
           "two wanted, two kept");
    tap_ok(champion_sieve(&times[0][0], 3, 5, 1, kept, 5) == 3, "points to the first alone: three champions");
}

static void test_ties(void)
{
    const double times[2][4] = {{1, 1, 2, 3}, {5, 5, 4, 4}};
    struct champion kept[4];
    champion_sieve(&times[0][0], 2, 4, 4, kept, 4);
    tap_ok(kept[0].candidate == 0 && kept[0].points == 1.5 && kept[1].candidate == 1 &&
               kept[1].points == 1.5 && kept[2].candidate == 2 && kept[2].points == 1.5 &&
               kept[3].points == 1.25,
           "equal times have equal points, equal points go by number");
}

static void test_not_timed(void)
{
    const double times[2][4] = {{NAN, 2, 0, 3}, {1, 2, INFINITY, -1}};
    struct champion kept[4];
    const size_t count = champion_sieve(&times[0][0], 2, 4, SIEVE_SCORING, kept, 4);
    tap_ok(count == 3 && kept[0].candidate == 1 && kept[1].candidate == 0 && kept[2].candidate == 3,
           "what was never timed is not kept");
    tap_ok(kept[1].points == 1, "what was timed once has the points of once");
    tap_ok(champion_sieve(NULL, 0, 4, SIEVE_SCORING, kept, 4) == 0, "no sizes, no champions");
}

/* 1000 candidates with a planted best twenty. */
static void test_papers_size(void)
{
    enum { SIZES = 4, CANDIDATES = 1000 };
    static double times[SIZES][CANDIDATES];
    struct champion kept[SIEVE_KEPT];
    size_t planted = 0;
    for (int size = 0; size < SIZES; size++)
        for (int i = 0; i < CANDIDATES; i++)
            times[size][i] = (size + 1) * (i % 50 == 7 ? 1 : 2) * (1 + 0.001 * ((i * 37 + size * 11) % 101));
    const size_t count = champion_sieve(&times[0][0], SIZES, CANDIDATES, SIEVE_SCORING, kept, SIEVE_KEPT);
    for (size_t i = 0; i < count; i++)
        planted += kept[i].candidate % 50 == 7;
    tap_ok(count == SIEVE_KEPT && planted == SIEVE_KEPT, "20 of 1000 kept, the planted ones");
}

UNIT_TEST(test_champion_sieve)
{
    test_order();
    test_ties();
    test_not_timed();
    test_papers_size();
    return tap_done();
}

/* Steps whose width doubles: whatever is cut arrives in the step of its time, and nothing is lost. */
#include "interpose/report/stats.h"
#include "tap.h"
#include "unit_test.h"

#include <string.h>

enum { STEP = 1 << 20 };

static uint64_t words[TIMELINE_WORDS], steps[TIMELINE_STEPS];

static void add(uint64_t from, uint64_t to)
{
    uint64_t part;
    while (from < to) {
        const size_t word = timeline_cut(&from, to, &part);
        words[word] += part;
    }
}

static void fold(unsigned level)
{
    memset(steps, 0, sizeof steps);
    for (size_t i = 0; i < TIMELINE_WORDS; i++)
        steps[timeline_step(i, level)] += words[i];
}

static uint64_t sum(void)
{
    uint64_t total = 0;
    for (int i = 0; i < TIMELINE_STEPS; i++)
        total += steps[i];
    return total;
}

static void test_levels(void)
{
    tap_ok(timeline_level(0) == 0 && timeline_level(200ULL * STEP - 1) == 0, "200 steps of a millisecond at first");
    tap_ok(timeline_level(200ULL * STEP) == 1 && timeline_level(400ULL * STEP - 1) == 1 &&
               timeline_level(400ULL * STEP) == 2, "then twice as wide, and again");
    tap_ok(timeline_width(0) == STEP && timeline_width(3) == 8 * STEP, "widths");
}

/* A run of so many steps of level 0, busy all the time. */
static void test_busy(uint64_t run, const char *what)
{
    const unsigned level = timeline_level(run);
    const uint64_t width = timeline_width(level);
    bool good = true;
    memset(words, 0, sizeof words);
    add(0, run);
    fold(level);
    for (uint64_t i = 0; i < TIMELINE_STEPS; i++) {
        const uint64_t begin = i * width, end = begin + width < run ? begin + width : run;
        good = good && steps[i] == (begin < run ? end - begin : 0);
    }
    tap_ok(good && sum() == run, "a busy run of %s fills its steps to its end", what);
}

/* Short pieces, at the same places whatever the run's length turns out to be. */
static void test_pieces(void)
{
    const unsigned level = timeline_level(10000ULL * STEP);
    const uint64_t width = timeline_width(level);
    bool good = true;
    memset(words, 0, sizeof words);
    for (uint64_t at = 0; at < 10000ULL * STEP; at += 97 * STEP)
        add(at + 5, at + 5 + 1000);
    fold(level);
    for (uint64_t i = 0; i < TIMELINE_STEPS; i++) {
        uint64_t wanted = 0;
        for (uint64_t at = 0; at < 10000ULL * STEP; at += 97 * STEP)
            wanted += (at + 5) / width == i ? 1000 : 0;
        good = good && steps[i] == wanted;
    }
    tap_ok(good, "pieces are in the steps of their times");
}

static void test_far(void)
{
    memset(words, 0, sizeof words);
    add(UINT64_MAX - 10 * (uint64_t)STEP, UINT64_MAX);
    fold(TIMELINE_LEVELS - 1);
    tap_ok(sum() == 10 * (uint64_t)STEP && steps[TIMELINE_STEPS - 1] == sum(), "what is beyond all steps is in the last");
}

UNIT_TEST(test_timeline)
{
    test_levels();
    test_busy(1, "a nanosecond");
    test_busy(STEP + 7, "a step and a bit");
    test_busy(200ULL * STEP, "200 steps");
    test_busy(200ULL * STEP + 1, "one nanosecond more");
    test_busy(12345ULL * STEP + 678, "thousands of steps");
    test_busy(123456789ULL * STEP, "a day and a half");
    test_pieces();
    test_far();
    return tap_done();
}

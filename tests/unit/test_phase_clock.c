/* Every nanosecond between start and stop belongs to one phase, and none without a clock. */
#include "common/clock.h"
#include "tap.h"
#include "unit_test.h"

#include <pthread.h>
#include <time.h>

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t sum(const struct phase_times *times)
{
    uint64_t total = 0;
    for (int i = 0; i < PHASE_COUNT; i++)
        total += times->nanoseconds[i];
    return total;
}

/* Until the clock has moved by this much. Returns how much it moved at the least. */
static uint64_t spend(uint64_t nanoseconds)
{
    const uint64_t begun = now();
    while (now() - begun < nanoseconds)
        ;
    return now() - begun;
}

static void *enter_elsewhere(void *unused)
{
    phase_enter(PHASE_RESULT);
    spend(1000);
    phase_enter(PHASE_OTHER);
    return unused;
}

UNIT_TEST(test_phase_clock)
{
    struct phase_times times = {{0}};
    pthread_t thread;
    phase_enter(PHASE_SCAN);
    spend(1000);
    tap_ok(phase_enter(PHASE_OTHER) == PHASE_OTHER && sum(&times) == 0, "without a clock nothing is noted");

    const uint64_t outer = now();
    phase_clock_start();
    const uint64_t inner = now();
    const uint64_t other = spend(20000);
    const enum phase first = phase_enter(PHASE_SCAN);
    const uint64_t scan = spend(30000);
    const enum phase second = phase_enter(PHASE_UPLOAD);
    const uint64_t upload = spend(10000);
    phase_enter(second);
    const uint64_t again = spend(30000);
    if (pthread_create(&thread, NULL, enter_elsewhere, NULL) == 0)
        pthread_join(thread, NULL);
    phase_enter(first);
    const uint64_t least = now() - inner;
    phase_clock_stop(&times);
    const uint64_t most = now() - outer;

    tap_ok(first == PHASE_OTHER && second == PHASE_SCAN, "entering a phase tells the one before");
    tap_ok(sum(&times) >= least && sum(&times) <= most,
           "the phases add up to the time between start and stop");
    tap_ok(times.nanoseconds[PHASE_OTHER] >= other && times.nanoseconds[PHASE_SCAN] >= scan + again &&
              times.nanoseconds[PHASE_UPLOAD] >= upload,
          "each phase has what was spent in it");
    tap_ok(times.nanoseconds[PHASE_UPLOAD] <= most - scan - again - other &&
               times.nanoseconds[PHASE_RESULT] == 0,
           "and nothing of the others', nor of another thread's");
    const struct phase_times before = times;
    phase_enter(PHASE_FINISH);
    spend(1000);
    phase_enter(PHASE_OTHER);
    tap_ok(sum(&times) == sum(&before), "a stopped clock stands");
    return tap_done();
}

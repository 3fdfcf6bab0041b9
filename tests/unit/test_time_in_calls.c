/* How much of a run had a call under way, of threads that call one at a time, at once and in turns. */
#include "common/clock.h"
#include "interpose/report/stats.h"
#include "tap.h"
#include "unit_test.h"

#include <pthread.h>
#include <stdlib.h>

static const uint64_t run = UINT64_C(1) << 28; /* 256 ms: steps of 2 ms */
static const uint64_t step = UINT64_C(1) << 21;

struct stay {
    uint64_t from, to; /* since the run began */
};

/* Threads that live at once have counters of their own. */
static pthread_barrier_t all_counted;

static void *stay(void *place)
{
    const struct stay *const of = place;
    const uint64_t origin = thread_counters_origin();
    stats_activity(ACTIVITY_HOST, origin + of->from, origin + of->to);
    pthread_barrier_wait(&all_counted);
    return NULL;
}

static void stay_in_threads(struct stay *stays, int count)
{
    pthread_t threads[4];
    pthread_barrier_init(&all_counted, NULL, (unsigned)count);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, stay, &stays[i]);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_counted);
}

static void expect(uint64_t least, uint64_t most, const char *what)
{
    const struct time_in_calls time = stats_read_in_calls(run);
    if (!tap_ok(time.least == least && time.most == most, "%s", what))
        printf("# %llu to %llu, not %llu to %llu\n", (unsigned long long)time.least,
               (unsigned long long)time.most, (unsigned long long)least, (unsigned long long)most);
}

UNIT_TEST(test_time_in_calls)
{
    struct stay alone[] = {{10 * step, 20 * step + step / 4}};
    struct stay at_once[] = {{30 * step, 40 * step}, {30 * step, 40 * step}, {30 * step, 40 * step}};
    struct stay in_turns[] = {{50 * step, 50 * step + step / 4}, {50 * step + step / 2, 51 * step}};
    struct stay beyond[] = {{run - step, run + step}};
    setenv("MUBLAS_REPORT", "page.html", 1);
    stats_wanted();
    expect(0, 0, "no call");
    stay_in_threads(alone, 1);
    expect(10 * step + step / 4, 10 * step + step / 4, "a thread alone: all its time");
    stay_in_threads(at_once, 3);
    expect(20 * step + step / 4, 20 * step + step / 4, "threads at once: their time counts once");
    stay_in_threads(in_turns, 2);
    expect(20 * step + 3 * step / 4, 21 * step, "threads in a step: from the longest of them to their sum");
    stay_in_threads(beyond, 1);
    expect(21 * step + 3 * step / 4, 22 * step, "no more than the run");
    return tap_done();
}

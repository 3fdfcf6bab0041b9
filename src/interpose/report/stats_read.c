/* What all threads have counted. */
#include "common/clock.h"
#include "common/settings.h"
#include "interpose/report/stats.h"
#include "interpose/report/thread_counters.h"

#include <string.h>

static uint64_t get(const counter *from)
{
    return atomic_load_explicit(from, memory_order_relaxed);
}

/* Why calls of this routine went straight to the host. */
static enum host_reason forwarding_reason(enum symbol symbol)
{
    if (!symbol_is_offloaded(symbol))
        return HOST_FORWARDED;
    return settings()->offload == OFFLOAD_NEVER ? HOST_SWITCHED_OFF : HOST_BELOW_FLOOR;
}

static void take_records(struct routine_stats *sum, const struct routine_counters *routine)
{
    struct large_call refused, *one = &sum->refused;
    const uint64_t variant = get(&routine->variant);
    if (variant)
        sum->variant = (const char *)(uintptr_t)variant;
    if (call_record_read(&routine->refused, &refused) && refused.shape.n >= one->shape.n)
        *one = refused;
}

static void accumulate(struct routine_stats *sum, const struct routine_counters *routine)
{
    sum->device_calls += get(&routine->device_calls);
    sum->bytes_up += get(&routine->bytes_up);
    sum->bytes_down += get(&routine->bytes_down);
    sum->foretold_nanoseconds += get(&routine->foretold_nanoseconds);
    for (int i = 0; i < HOST_REASON_COUNT; i++) {
        sum->host_calls[i] += get(&routine->host_calls[i]);
        sum->host_nanoseconds[i] += get(&routine->host_nanoseconds[i]);
        sum->inside_nanoseconds[i] += get(&routine->inside_nanoseconds[i]);
    }
    for (int i = 0; i < PHASE_COUNT; i++)
        sum->phases.nanoseconds[i] += get(&routine->phases[i]);
    take_records(sum, routine);
}

void stats_read(struct routine_stats stats[SYMBOL_COUNT])
{
    const struct thread_counters *counters = NULL;
    memset(stats, 0, SYMBOL_COUNT * sizeof *stats);
    while ((counters = thread_counters_next(counters)))
        for (int i = 0; i < SYMBOL_COUNT; i++) {
            accumulate(&stats[i], &counters->routines[i]);
            stats[i].host_calls[forwarding_reason((enum symbol)i)] += get(&counters->forwarded_calls[i]);
        }
}

int stats_read_largest(struct large_call calls[LARGEST_CALLS])
{
    const struct thread_counters *counters = NULL;
    struct large_call call;
    int count = 0;
    while ((counters = thread_counters_next(counters)))
        for (int i = 0; i < LARGEST_CALLS; i++)
            if (call_record_read(&counters->largest.of[i], &call))
                count = largest_calls_merge(calls, count, LARGEST_CALLS, &call);
    return count;
}

uint64_t stats_run_nanoseconds(void)
{
    return clock_nanoseconds() - thread_counters_origin();
}

void stats_read_timeline(unsigned level, uint64_t steps[ACTIVITY_COUNT][TIMELINE_STEPS])
{
    const struct thread_counters *counters = NULL;
    memset(steps, 0, ACTIVITY_COUNT * sizeof *steps);
    while ((counters = thread_counters_next(counters)))
        for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
            for (size_t word = 0; word < TIMELINE_WORDS; word++)
                steps[activity][timeline_step(word, level)] += get(&counters->timeline[activity][word]);
}

static void read_presence(const struct thread_counters *counters, unsigned level,
                          uint64_t steps[TIMELINE_STEPS])
{
    memset(steps, 0, TIMELINE_STEPS * sizeof *steps);
    for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
        for (size_t word = 0; word < TIMELINE_WORDS; word++)
            steps[timeline_step(word, level)] += get(&counters->timeline[activity][word]);
}

static uint64_t at_most(uint64_t limit, uint64_t value)
{
    return value < limit ? value : limit;
}

struct time_in_calls stats_read_in_calls(uint64_t run_nanoseconds)
{
    const unsigned level = timeline_level(run_nanoseconds);
    const uint64_t width = timeline_width(level);
    uint64_t one[TIMELINE_STEPS], longest[TIMELINE_STEPS] = {0}, sum[TIMELINE_STEPS] = {0};
    const struct thread_counters *counters = NULL;
    struct time_in_calls in_calls = {0, 0};
    while ((counters = thread_counters_next(counters))) {
        read_presence(counters, level, one);
        for (int step = 0; step < TIMELINE_STEPS; step++) {
            longest[step] = one[step] > longest[step] ? one[step] : longest[step];
            sum[step] += one[step];
        }
    }
    for (uint64_t step = 0; step < TIMELINE_STEPS && step * width < run_nanoseconds; step++) {
        const uint64_t all = at_most(width, run_nanoseconds - step * width);
        in_calls.least += at_most(all, longest[step]);
        in_calls.most += at_most(all, sum[step]);
    }
    return in_calls;
}

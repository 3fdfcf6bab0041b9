#include "interpose/report/stats.h"
#include "common/clock.h"
#include "common/settings.h"
#include "host/host_library.h"
#include "interpose/report/thread_counters.h"

#include <stdatomic.h>
#include <string.h>

enum { UNKNOWN, UNWANTED, WANTED };
static atomic_int wanted = UNKNOWN;

/* Asked for by the constructor of jump_tables.c or by an earlier call of a library
 * constructor; the environment is not read again, whatever the program does to it. */
static bool decide(void)
{
    int expected = UNKNOWN;
    bool report = settings_report_wanted() && !host_library_stands_behind();
    if (atomic_compare_exchange_strong(&wanted, &expected, report ? WANTED : UNWANTED) && report)
        thread_counters_begin();
    return report;
}

bool stats_wanted(void)
{
    int known = atomic_load_explicit(&wanted, memory_order_relaxed);
    if (known != UNKNOWN)
        return known == WANTED;
    return !settings_are_readable() || decide();
}

uint64_t stats_nanoseconds(void)
{
    return stats_wanted() ? clock_nanoseconds() : 0;
}

void stats_device_call(enum symbol symbol, const struct device_counts *counts)
{
    if (!stats_wanted())
        return;
    struct thread_counters *own = thread_counters_own();
    struct routine_counters *routine = &own->routines[symbol];
    thread_counters_add(own, &routine->device_calls, 1);
    thread_counters_add(own, &routine->bytes_up, counts->bytes_up);
    thread_counters_add(own, &routine->bytes_down, counts->bytes_down);
    for (int i = 0; i < PHASE_COUNT; i++)
        thread_counters_add(own, &routine->phases[i], counts->phases.nanoseconds[i]);
}

void stats_host_call(enum symbol symbol, enum host_reason reason, uint64_t nanoseconds)
{
    if (!stats_wanted())
        return;
    struct thread_counters *own = thread_counters_own();
    thread_counters_add(own, &own->routines[symbol].host_calls[reason], 1);
    thread_counters_add(own, &own->routines[symbol].host_nanoseconds, nanoseconds);
}

void stats_forwarded_call(enum symbol symbol)
{
    struct thread_counters *own = thread_counters_own();
    thread_counters_add(own, &own->forwarded_calls[symbol], 1);
}

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

static void accumulate(struct routine_stats *sum, const struct routine_counters *routine)
{
    sum->device_calls += get(&routine->device_calls);
    sum->bytes_up += get(&routine->bytes_up);
    sum->bytes_down += get(&routine->bytes_down);
    sum->host_nanoseconds += get(&routine->host_nanoseconds);
    for (int i = 0; i < HOST_REASON_COUNT; i++)
        sum->host_calls[i] += get(&routine->host_calls[i]);
    for (int i = 0; i < PHASE_COUNT; i++)
        sum->phases.nanoseconds[i] += get(&routine->phases[i]);
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

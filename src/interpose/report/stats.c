#include "interpose/report/stats.h"
#include "common/clock.h"
#include "common/settings.h"
#include "host/host_library.h"
#include "interpose/report/report_file.h"
#include "interpose/report/report_start.h"
#include "interpose/report/thread_counters.h"

#include <stdatomic.h>

enum { UNKNOWN, UNWANTED, WANTED };
static atomic_int wanted = UNKNOWN;
static atomic_bool activities_wanted;

/* Each nanosecond of a call on the device is a phase's: what the time line shows of them. */
static void note_phase(enum phase phase, uint64_t from, uint64_t to)
{
    static const enum activity activities[PHASE_COUNT] = {
        [PHASE_OTHER] = ACTIVITY_OTHER,   [PHASE_LOCKS] = ACTIVITY_OTHER,   [PHASE_MEMORY] = ACTIVITY_OTHER,
        [PHASE_SCAN] = ACTIVITY_OTHER,    [PHASE_UPLOAD] = ACTIVITY_LINK,   [PHASE_VECTORS] = ACTIVITY_LINK,
        [PHASE_LAUNCH] = ACTIVITY_DEVICE, [PHASE_FINISH] = ACTIVITY_DEVICE, [PHASE_RESULT] = ACTIVITY_LINK,
    };
    stats_activity(activities[phase], from, to);
}

static void begin(void)
{
    bool are_faulty;
    report_start_note();
    thread_counters_begin();
    if (!report_file_is_page(settings_copied(&are_faulty)->report))
        return;
    activities_wanted = true;
    phase_clock_watch(note_phase);
}

/* Asked for by the constructor of jump_tables.c or by an earlier call of a library
 * constructor; the environment is not read again, whatever the program does to it. */
static bool decide(void)
{
    int expected = UNKNOWN;
    bool report = settings_report_wanted() && !host_library_stands_behind();
    if (atomic_compare_exchange_strong(&wanted, &expected, report ? WANTED : UNWANTED) && report)
        begin();
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

static void note_large(struct thread_counters *own, enum symbol symbol, enum host_reason reason,
                       uint64_t nanoseconds, const struct route_shape *shape)
{
    const struct large_call call = {symbol, reason, nanoseconds, *shape};
    largest_calls_note(&own->largest, &call);
    if (reason == HOST_FASTER)
        call_record_note_larger(&own->routines[symbol].refused, &call);
}

void stats_device_call(enum symbol symbol, const struct device_counts *counts)
{
    uint64_t nanoseconds = 0;
    if (!stats_wanted())
        return;
    struct thread_counters *own = thread_counters_own();
    struct routine_counters *routine = &own->routines[symbol];
    thread_counters_add(own, &routine->device_calls, 1);
    thread_counters_add(own, &routine->bytes_up, counts->bytes_up);
    thread_counters_add(own, &routine->bytes_down, counts->bytes_down);
    for (int i = 0; i < PHASE_COUNT; i++) {
        thread_counters_add(own, &routine->phases[i], counts->phases.nanoseconds[i]);
        nanoseconds += counts->phases.nanoseconds[i];
    }
    if (counts->foretold_us > 0)
        thread_counters_add(own, &routine->foretold_nanoseconds, (uint64_t)(counts->foretold_us * 1e3));
    note_large(own, symbol, HOST_REASON_COUNT, nanoseconds, &counts->shape);
}

void stats_host_call(enum symbol symbol, enum host_reason reason, const struct host_counts *counts)
{
    if (!stats_wanted())
        return;
    struct thread_counters *own = thread_counters_own();
    struct routine_counters *routine = &own->routines[symbol];
    thread_counters_add(own, &routine->host_calls[reason], 1);
    if (counts->variant)
        atomic_store_explicit(&routine->variant, (uintptr_t)counts->variant, memory_order_relaxed);
    stats_host_time(symbol, reason, counts);
}

void stats_host_time(enum symbol symbol, enum host_reason reason, const struct host_counts *counts)
{
    if (!stats_wanted() || !counts->nanoseconds)
        return;
    struct thread_counters *own = thread_counters_own();
    struct routine_counters *routine = &own->routines[symbol];
    thread_counters_add(own, &routine->host_nanoseconds[reason], counts->nanoseconds);
    thread_counters_add(own, &routine->inside_nanoseconds[reason], counts->inside_nanoseconds);
    if (counts->shape)
        note_large(own, symbol, reason, counts->nanoseconds, counts->shape);
}

void stats_activity(enum activity activity, uint64_t from, uint64_t to)
{
    const uint64_t origin = thread_counters_origin();
    uint64_t part;
    if (!atomic_load_explicit(&activities_wanted, memory_order_relaxed) || from >= to || from < origin)
        return;
    struct thread_counters *own = thread_counters_own();
    for (from -= origin, to -= origin; from < to;) {
        const size_t word = timeline_cut(&from, to, &part);
        thread_counters_add(own, &own->timeline[activity][word], part);
    }
}

void stats_forwarded_call(enum symbol symbol)
{
    struct thread_counters *own = thread_counters_own();
    thread_counters_add(own, &own->forwarded_calls[symbol], 1);
}

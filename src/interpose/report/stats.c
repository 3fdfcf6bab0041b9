#include "interpose/report/stats.h"
#include "common/clock.h"
#include "common/interruption.h"
#include "common/settings.h"
#include "host/host_search.h"
#include "interpose/process_state.h"
#include "interpose/report/report_file.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

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
    if (*settings_copied(&are_faulty)->report_parts)
        thread_counters_watch(report_note_leave);
    thread_counters_begin();
    const struct settings *const copied = settings_copied(&are_faulty);
    if (!report_file_is_page(copied->report) && !*copied->estimate)
        return;
    activities_wanted = true;
    phase_clock_watch(note_phase);
}

/* Asked for by the constructor of forwarding.c or by an earlier call of a library
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

enum { LONGEST_SHIFT = 48 }; /* three days; the symbol is above */
_Static_assert(SYMBOL_COUNT < 1 << (64 - LONGEST_SHIFT), "a symbol has 16 bits");
static const uint64_t longest_mask = (UINT64_C(1) << LONGEST_SHIFT) - 1;

/* The call has just ended. A signal handler may write meanwhile in another call: that may be lost. */
static void note_name(struct thread_counters *own, enum symbol symbol, uint64_t nanoseconds)
{
    const uint64_t origin = thread_counters_origin(), now = clock_nanoseconds() - origin;
    uint64_t part;
    if (!atomic_load_explicit(&activities_wanted, memory_order_relaxed))
        return;
    for (uint64_t from = nanoseconds < now ? now - nanoseconds : 0; from < now;) {
        const size_t word = timeline_cut(&from, now, &part);
        const uint64_t there = atomic_load_explicit(&own->longest[word], memory_order_relaxed);
        if (part > (there & longest_mask) && part <= longest_mask)
            atomic_store_explicit(&own->longest[word], (uint64_t)symbol << LONGEST_SHIFT | part,
                                  memory_order_relaxed);
    }
}

static void note_size(struct thread_counters *own, bool on_device, uint64_t nanoseconds,
                      const struct route_shape *shape)
{
    int64_t largest = shape->m > shape->n ? shape->m : shape->n;
    int place = 0;
    largest = shape->k > largest ? shape->k : largest;
    while (place < SIZE_PLACES - 1 && largest >> (place + 1))
        place++;
    thread_counters_add(own, &own->sizes[on_device][place], 1);
    thread_counters_add(own, &own->size_nanoseconds[on_device][place], nanoseconds);
}

static void note_large(struct thread_counters *own, enum symbol symbol, enum host_reason reason,
                       uint64_t nanoseconds, const struct route_shape *shape)
{
    const struct large_call call = {symbol, reason, nanoseconds, *shape};
    largest_calls_note(&own->largest, &call);
    note_size(own, reason == HOST_NO_REASON, nanoseconds, shape);
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
    thread_counters_add(own, &routine->thousand_operations, (uint64_t)(counts->operations / 1e3));
    note_name(own, symbol, nanoseconds);
    note_large(own, symbol, HOST_NO_REASON, nanoseconds, &counts->shape);
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
    if (counts->operations > 0) {
        thread_counters_add(own, &routine->host_thousand_operations, (uint64_t)(counts->operations / 1e3));
        thread_counters_add(own, &routine->host_counted_nanoseconds, counts->nanoseconds);
    }
    note_name(own, symbol, counts->nanoseconds);
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

/* The counter may be of any thread. */
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
    sum->thousand_operations += get(&routine->thousand_operations);
    sum->host_thousand_operations += get(&routine->host_thousand_operations);
    sum->host_counted_nanoseconds += get(&routine->host_counted_nanoseconds);
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

void stats_read_sizes(struct size_stats *sizes)
{
    const struct thread_counters *counters = NULL;
    memset(sizes, 0, sizeof *sizes);
    while ((counters = thread_counters_next(counters)))
        for (int place = 0; place < SIZE_PLACES; place++)
            for (int where = 0; where < 2; where++) {
                sizes->calls[where][place] += get(&counters->sizes[where][place]);
                sizes->nanoseconds[where][place] += get(&counters->size_nanoseconds[where][place]);
            }
}

static bool add_to_lane(const struct thread_counters *counters, unsigned level, struct thread_lane *lane,
                        uint64_t longest[TIMELINE_STEPS])
{
    bool any = false;
    for (size_t word = 0; word < TIMELINE_WORDS; word++) {
        const unsigned step = timeline_step(word, level);
        const uint64_t call = get(&counters->longest[word]);
        for (int activity = 0; activity < ACTIVITY_COUNT; activity++) {
            const uint64_t more = get(&counters->timeline[activity][word]);
            lane->steps[activity][step] += more;
            any |= more > 0;
        }
        if ((call & longest_mask) > longest[step]) {
            longest[step] = call & longest_mask;
            lane->longest[step] = (enum symbol)(call >> LONGEST_SHIFT);
        }
    }
    return any;
}

/* The newest counters come first, but for those that all threads share. */
int stats_read_lanes(unsigned level, struct thread_lane *lanes, int most, int *threads)
{
    enum { COUNTERS_MOST = 4096 };
    static const struct thread_counters *all[COUNTERS_MOST];
    uint64_t longest[TIMELINE_STEPS];
    const struct thread_counters *counters = NULL;
    int number = 0, used = 0;
    while (number < COUNTERS_MOST && (counters = thread_counters_next(counters)))
        all[number++] = counters;
    for (*threads = 0; number > 0;) {
        struct thread_lane *const lane = &lanes[used < most ? used : most - 1];
        if (used < most) {
            memset(lane, 0, sizeof *lane);
            memset(longest, 0, sizeof longest);
            for (int step = 0; step < TIMELINE_STEPS; step++)
                lane->longest[step] = SYMBOL_COUNT;
        }
        if (add_to_lane(all[--number], level, lane, longest)) {
            used += used < most;
            ++*threads;
        }
    }
    return used;
}

uint64_t stats_run_nanoseconds(void)
{
    return clock_nanoseconds() - thread_counters_origin();
}

struct time_in_calls stats_read_in_calls(uint64_t run_nanoseconds)
{
    const unsigned level = timeline_level(run_nanoseconds);
    const uint64_t width = timeline_width(level);
    uint64_t longest[TIMELINE_STEPS] = {0}, sum[TIMELINE_STEPS] = {0};
    const struct thread_counters *counters = NULL;
    struct time_in_calls in_calls = {0, 0};
    while ((counters = thread_counters_next(counters))) {
        uint64_t one[TIMELINE_STEPS] = {0};
        for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
            for (size_t word = 0; word < TIMELINE_WORDS; word++)
                one[timeline_step(word, level)] += get(&counters->timeline[activity][word]);
        for (int step = 0; step < TIMELINE_STEPS; step++) {
            longest[step] = one[step] > longest[step] ? one[step] : longest[step];
            sum[step] += one[step];
        }
    }
    for (uint64_t step = 0; step < TIMELINE_STEPS && step * width < run_nanoseconds; step++) {
        const uint64_t all = run_nanoseconds - step * width < width ? run_nanoseconds - step * width : width;
        in_calls.least += longest[step] < all ? longest[step] : all;
        in_calls.most += sum[step] < all ? sum[step] : all;
    }
    return in_calls;
}

/* The spans that are open, of which the caller's own may be on a frame that was left by a jump: what is kept
 * of them is kept here, and they are told apart by address alone. */
enum { OPEN_MOST = 8 };

static __thread struct open_span {
    const struct call_span *span;
    uint64_t since; /* what is before it is accounted for; of the monotonic clock */
    uint64_t inside;
    bool is_host;
} open_spans[OPEN_MOST] __attribute__((tls_model("initial-exec")));
static __thread int open_count __attribute__((tls_model("initial-exec")));

/* Up to now it was this span's time. */
static void account(struct open_span *open, uint64_t now)
{
    if (open->is_host)
        stats_activity(ACTIVITY_HOST, open->since, now);
    open->since = now;
}

/* Spans in frames that are not around this one were left, and so was one at the same place. */
static void drop_left(const struct call_span *span, const void *frame)
{
    while (open_count > 0 && (open_spans[open_count - 1].span == span ||
                              left_frames_look(open_spans[open_count - 1].span, frame) != FRAME_INSIDE))
        open_count--;
}

void call_spans_leave(const struct jump *jump)
{
    while (open_count > 0 && jump_leaves(jump, open_spans[open_count - 1].span))
        open_count--;
}

void call_span_begin(struct call_span *span, bool is_host)
{
    *span = (struct call_span){.begun = 0};
    if (!stats_wanted())
        return;
    thread_counters_own(); /* whose first ones note that this process calls: it may die in this call */
    span->begun = clock_nanoseconds();
    drop_left(span, FRAME_HERE());
    if (open_count == OPEN_MOST)
        return;
    if (open_count > 0)
        account(&open_spans[open_count - 1], span->begun);
    open_spans[open_count++] = (struct open_span){.span = span, .since = span->begun, .is_host = is_host};
}

uint64_t call_span_end(struct call_span *span)
{
    if (!span->begun)
        return 0;
    const uint64_t now = clock_nanoseconds(), taken = now - span->begun;
    int place = open_count - 1;
    while (place >= 0 && open_spans[place].span != span)
        place--;
    if (place < 0)
        return taken; /* there were too many, or it was taken for one that was left */
    account(&open_spans[place], now);
    span->inside = open_spans[place].inside;
    open_count = place;
    if (place > 0) {
        open_spans[place - 1].inside += taken;
        open_spans[place - 1].since = now;
    }
    return taken;
}

#include "interpose/stats.h"
#include "common/clock.h"
#include "common/settings.h"
#include "interpose/host_search.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct counters {
    _Atomic uint64_t device_calls;
    _Atomic uint64_t host_calls[HOST_REASON_COUNT];
    _Atomic uint64_t bytes_up, bytes_down;
    _Atomic uint64_t phases[PHASE_COUNT], host_nanoseconds;
};

static struct counters counters[SYMBOL_COUNT];
static _Atomic uint64_t forwarded_calls[SYMBOL_COUNT];

enum { UNKNOWN, UNWANTED, WANTED };
static atomic_int wanted = UNKNOWN;

/* The child of a fork reports what it did itself. No other thread runs here. */
static void restart_in_child(void)
{
    memset(counters, 0, sizeof counters);
    memset(forwarded_calls, 0, sizeof forwarded_calls);
}

/* Asked for by the constructor of host_blas.c or by an earlier call of a library
 * constructor; the environment is not read again, whatever the program does to it. */
static bool decide(void)
{
    int expected = UNKNOWN;
    bool report = settings_report_wanted() && !host_search_stands_behind();
    if (atomic_compare_exchange_strong(&wanted, &expected, report ? WANTED : UNWANTED) && report)
        pthread_atfork(NULL, NULL, restart_in_child);
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

static void add(_Atomic uint64_t *counter, uint64_t amount)
{
    atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

void stats_device_call(enum symbol symbol, const struct device_counts *counts)
{
    struct counters *mine = &counters[symbol];
    if (!stats_wanted())
        return;
    add(&mine->device_calls, 1);
    add(&mine->bytes_up, counts->bytes_up);
    add(&mine->bytes_down, counts->bytes_down);
    for (int i = 0; i < PHASE_COUNT; i++)
        add(&mine->phases[i], counts->phases.nanoseconds[i]);
}

void stats_host_call(enum symbol symbol, enum host_reason reason, uint64_t nanoseconds)
{
    if (!stats_wanted())
        return;
    add(&counters[symbol].host_calls[reason], 1);
    add(&counters[symbol].host_nanoseconds, nanoseconds);
}

void stats_forwarded_call(enum symbol symbol)
{
    add(&forwarded_calls[symbol], 1);
}

static uint64_t get(_Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Why calls of this routine went straight to the host. */
static enum host_reason forwarding_reason(enum symbol symbol)
{
    if (!symbol_is_offloaded(symbol))
        return HOST_FORWARDED;
    return settings()->offload == OFFLOAD_NEVER ? HOST_SWITCHED_OFF : HOST_BELOW_FLOOR;
}

struct routine_stats stats_read(enum symbol symbol)
{
    struct counters *mine = &counters[symbol];
    struct routine_stats stats = {
        .device_calls = get(&mine->device_calls),
        .bytes_up = get(&mine->bytes_up),
        .bytes_down = get(&mine->bytes_down),
        .host_nanoseconds = get(&mine->host_nanoseconds),
    };
    for (int i = 0; i < HOST_REASON_COUNT; i++)
        stats.host_calls[i] = get(&mine->host_calls[i]);
    for (int i = 0; i < PHASE_COUNT; i++)
        stats.phases.nanoseconds[i] = get(&mine->phases[i]);
    stats.host_calls[forwarding_reason(symbol)] += get(&forwarded_calls[symbol]);
    return stats;
}

const char *host_reason_text(enum host_reason reason)
{
    static const char *const texts[HOST_REASON_COUNT] = {
        [HOST_FORWARDED] = "not offloaded by mublas",
        [HOST_BELOW_FLOOR] = "too small ever to pay",
        [HOST_ARGUMENTS] = "invalid arguments, nothing to compute, infinite alpha, or overlapping operands",
        [HOST_FASTER] = "predicted faster on the host",
        [HOST_NOT_RESIDENT] = "upload not yet worth its cost",
        [HOST_FP_ENVIRONMENT] = "floating-point traps, rounding mode or flush-to-zero",
        [HOST_SWITCHED_OFF] = "MUBLAS_OFFLOAD=never",
        [HOST_NO_DEVICE] = "no usable device",
        [HOST_NESTED] = "called from within another BLAS call",
        [HOST_AFTER_FORK] = "in a fork child or under a checkpointer",
        [HOST_INTEGERS] = "the width of the library's integers is unknown, or several libraries differ in it",
        [HOST_UNSUPPORTED] = "not supported on the device",
        [HOST_OUT_OF_MEMORY] = "out of device memory",
        [HOST_INACCESSIBLE] = "an operand's memory is protected",
        [HOST_DEVICE_ERROR] = "device error",
    };
    return (unsigned)reason < HOST_REASON_COUNT ? texts[reason] : "unknown reason";
}

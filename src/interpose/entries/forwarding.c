#include "common/log.h"
#include "common/program_state.h"
#include "common/settings.h"
#include "host/host_blas.h"
#include "host/host_search.h"
#include "interpose/entries/entry.h"
#include "interpose/policy.h"
#include "interpose/report/report_data.h"
#include "interpose/report/stats.h"
#include "service/client/link.h"

#include <errno.h>
#include <stdatomic.h>

host_function *counted_targets[SYMBOL_COUNT];

static void count_call(enum symbol symbol, const void *caller)
{
    if (!nested_in_host(caller))
        stats_forwarded_call(symbol);
}

host_function *forwarding_count(enum symbol symbol, const void *caller)
{
    host_function *target = __atomic_load_n(&counted_targets[symbol], __ATOMIC_ACQUIRE);
    count_call(symbol, caller);
    return target ? target : host_blas_resolve(symbol, caller);
}

host_function *forwarding_pass_on(enum symbol symbol, const void *caller)
{
    host_function *function = known_function(symbol);
    if (stats_wanted())
        count_call(symbol, caller);
    if (!function)
        function = callers_noted(symbol, caller);
    return function ? function : host_blas_resolve(symbol, caller);
}

#define SLOT_32(symbol)
#define SLOT_64(symbol)
#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(symbol, interface, width, ...) SLOT_##width(symbol)
#define SLOT_DETECTED(symbol)          \
    extern host_function entry32_##symbol; \
    extern host_function entry64_##symbol;
#include "host/symbols.def"
#undef SLOT_DETECTED

static const struct {
    enum symbol symbol;
    host_function *entry32, *entry64;
} entries[SLOT_COUNT] = {
#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(symbol, interface, width, ...) SLOT_##width(symbol)
#define SLOT_DETECTED(symbol) {SYMBOL_##symbol, entry32_##symbol, entry64_##symbol},
#include "host/symbols.def"
#undef SLOT_DETECTED
};
#undef SLOT_32
#undef SLOT_64

static void (*settle_width)(enum interface interface, enum integer_width width);

static enum symbol width_entry_symbol(enum entry_slot slot)
{
    return entries[slot].symbol;
}

/* The entry of a width, which is not WIDTH_DETECTED. */
static host_function *width_entry_of(enum entry_slot slot, enum integer_width width)
{
    return width == WIDTH_64 ? entries[slot].entry64 : entries[slot].entry32;
}

/* Be told what width all calls of an interface have from now on, WIDTH_DETECTED: one that is not known. */
static void width_entries_listen(void (*listener)(enum interface interface, enum integer_width width))
{
    settle_width = listener;
}

static void say_once(enum interface interface)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said))
        log_message(LOG_WARNING,
                    "%s has no isamax to tell the width of its integers: such calls stay on the host",
                    host_blas_library(interface, 0)->path);
}

static host_function *enter(enum entry_slot slot, const void *caller)
{
    enum symbol symbol = entries[slot].symbol;
    enum interface interface = symbol_interface(symbol);
    host_function *host = host_blas_resolve(symbol, caller);
    if (!settings_are_readable())
        return host;
    /* The library that does mublas' work in this process is not asked: it would count that. */
    enum integer_width width = host_library_stands_behind() ? WIDTH_DETECTED : host_blas_width(interface);
    if (settle_width && !host_blas_is_shared(interface) &&
        (width != WIDTH_DETECTED || host_library_stands_behind()))
        settle_width(interface, width); /* otherwise a host of another width may yet come */
    if (width != WIDTH_DETECTED)
        return width_entry_of(slot, width);
    if (!host_blas_is_shared(interface) && !host_library_stands_behind())
        say_once(interface);
    stats_host_call(symbol, HOST_INTEGERS, &(struct host_counts){0});
    return host;
}

/* The library is asked what it takes, in arithmetic that may raise something. */
host_function *width_entries_enter(enum entry_slot slot, const void *caller)
{
    struct program_state program;
    program_state_set_aside(&program);
    host_function *next = enter(slot, caller);
    program_state_return(&program);
    return next;
}

/* The tables that the stubs of forward.S jump through, which may always be jumped through.
 *
 * forward_slots, by symbol: to the host's own entry points, or to counting stubs (thunks.S) when a report
 * was asked for or it is not known yet whether it was, or to the stubs of host/thunks.h. entry_slots, for
 * calls past their gate in the interfaces whose names do not tell the integer width: to the entries of the
 * width that the host turned out to have, at first to a stub that finds that out. */
extern host_function *forward_slots[SYMBOL_COUNT], *entry_slots[SLOT_COUNT];

/* Filled before any constructor runs, since another library's may call BLAS. Until binding
 * settles whether calls are to be counted, they are. */
host_function *forward_slots[SYMBOL_COUNT] = {
#define FORWARDED_SYMBOL(symbol, ...) COUNT_THUNK(SYMBOL_##symbol),
#define OFFLOADED_SYMBOL(symbol, ...) COUNT_THUNK(SYMBOL_##symbol),
#include "host/symbols.def"
};

host_function *entry_slots[SLOT_COUNT] = {
#define SLOT_32(symbol)
#define SLOT_64(symbol)
#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(symbol, interface, width, ...) SLOT_##width(symbol)
#define SLOT_DETECTED(symbol) ENTER_THUNK(SLOT_##symbol),
#include "host/symbols.def"
};

static void put_in_slot(host_function **slot, host_function *function)
{
    __atomic_store_n(slot, function, __ATOMIC_RELEASE);
}

static bool is_of(int slot, enum interface interface)
{
    return symbol_interface(width_entry_symbol((enum entry_slot)slot)) == interface;
}

/* All slots of the interface; of no width: to the host. */
static void settle(enum interface interface, enum integer_width width)
{
    for (int i = 0; i < SLOT_COUNT; i++) {
        const enum entry_slot slot = (enum entry_slot)i;
        host_function *host = __atomic_load_n(&forward_slots[width_entry_symbol(slot)], __ATOMIC_ACQUIRE);
        if (is_of(i, interface))
            put_in_slot(&entry_slots[i], width == WIDTH_DETECTED ? host : width_entry_of(slot, width));
    }
}

static void unbind(enum interface interface)
{
    for (int i = 0; i < SLOT_COUNT; i++)
        if (is_of(i, interface))
            put_in_slot(&entry_slots[i], ENTER_THUNK(i));
}

static void serve(enum symbol symbol, host_function *function, bool by_caller)
{
    host_function *target = by_caller ? DISPATCH_THUNK(symbol) : function;
    put_in_slot(&counted_targets[symbol], target);
    put_in_slot(&forward_slots[symbol], !target || stats_wanted() ? COUNT_THUNK(symbol) : target);
}

/* The program's later changes of its environment are none of settings. */
static void copy_settings(void)
{
    bool are_faulty;
    const struct settings *copied = settings_copied(&are_faulty);
    const bool stands_behind = host_library_stands_behind();
    floors_begin(stands_behind ? OFFLOAD_NEVER : copied->offload, are_faulty && !stands_behind);
}

__attribute__((constructor)) static void bind_at_load(void)
{
    static const struct known_functions_listener listener = {serve, unbind};
    const int saved_errno = errno;
    copy_settings();
    width_entries_listen(settle);
    known_functions_listen(&listener);
    host_blas_bind_at_load();
    if (!host_search_by_path) /* who links mublas has devices of its own */
        service_offer();
    if (stats_wanted()) {
        floors_let_lapack_in();
        exit_wait_begin();
    }
    errno = saved_errno;
}

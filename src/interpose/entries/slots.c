#include "interpose/entries/slots.h"
#include "common/log.h"
#include "common/program_state.h"
#include "common/settings.h"
#include "host/callers.h"
#include "host/nested.h"
#include "interpose/entries/thunks.h"
#include "interpose/floors.h"
#include "interpose/report/stats.h"

#include <errno.h>
#include <stdatomic.h>

/* Filled before any constructor runs, since another library's may call BLAS. Until binding
 * settles whether calls are to be counted, they are. */
host_function *forward_slots[SYMBOL_COUNT] = {
#define FORWARDED_SYMBOL(symbol, ...) COUNT_THUNK(SYMBOL_##symbol),
#define OFFLOADED_SYMBOL(symbol, ...) COUNT_THUNK(SYMBOL_##symbol),
#include "host/symbols.def"
};

/* The entries of either width, and the slots' first content. */
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
} slots[SLOT_COUNT] = {
#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(symbol, interface, width, ...) SLOT_##width(symbol)
#define SLOT_DETECTED(symbol) {SYMBOL_##symbol, entry32_##symbol, entry64_##symbol},
#include "host/symbols.def"
#undef SLOT_DETECTED
};

host_function *entry_slots[SLOT_COUNT] = {
#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(symbol, interface, width, ...) SLOT_##width(symbol)
#define SLOT_DETECTED(symbol) ENTER_THUNK(SLOT_##symbol),
#include "host/symbols.def"
#undef SLOT_DETECTED
};
#undef SLOT_32
#undef SLOT_64

static void say_once(enum interface interface)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said))
        log_message(LOG_WARNING,
                    "%s has no isamax to tell the width of its integers: such calls stay on the host",
                    host_blas_library(interface, 0)->path);
}

static host_function *entry_of(enum entry_slot slot, enum integer_width width)
{
    return width == WIDTH_64 ? slots[slot].entry64 : slots[slot].entry32;
}

/* All slots of the interface; of no width: to the host. */
static void settle(enum interface interface, enum integer_width width)
{
    for (int i = 0; i < SLOT_COUNT; i++) {
        host_function *host = __atomic_load_n(&forward_slots[slots[i].symbol], __ATOMIC_ACQUIRE);
        host_function *to = width == WIDTH_DETECTED ? host : entry_of((enum entry_slot)i, width);
        if (symbol_interface(slots[i].symbol) == interface)
            __atomic_store_n(&entry_slots[i], to, __ATOMIC_RELEASE);
    }
}

void host_blas_unbound(enum interface interface)
{
    for (int i = 0; i < SLOT_COUNT; i++)
        if (symbol_interface(slots[i].symbol) == interface)
            __atomic_store_n(&entry_slots[i], ENTER_THUNK(i), __ATOMIC_RELEASE);
}

void host_blas_bound(enum symbol symbol, host_function *function)
{
    host_function *slot = !function || stats_wanted() ? COUNT_THUNK(symbol) : function;
    __atomic_store_n(&forward_slots[symbol], slot, __ATOMIC_RELEASE);
}

static host_function *enter(enum entry_slot slot, const void *caller)
{
    enum symbol symbol = slots[slot].symbol;
    enum interface interface = symbol_interface(symbol);
    host_function *host = host_blas_resolve(symbol, caller);
    if (!settings_are_readable())
        return host;
    /* The library that does mublas' work in this process is not asked: it would count that. */
    enum integer_width width = host_library_stands_behind() ? WIDTH_DETECTED : host_blas_width(interface);
    if (!host_blas_is_shared(interface) && (width != WIDTH_DETECTED || host_library_stands_behind()))
        settle(interface, width); /* otherwise a host of another width may yet come */
    if (width != WIDTH_DETECTED)
        return entry_of(slot, width);
    if (!host_blas_is_shared(interface) && !host_library_stands_behind())
        say_once(interface);
    stats_host_call(symbol, HOST_INTEGERS, 0);
    return host;
}

/* The library is asked what it takes, in arithmetic that may raise something. */
host_function *slots_enter(enum entry_slot slot, const void *caller)
{
    struct program_state program;
    program_state_set_aside(&program);
    host_function *next = enter(slot, caller);
    program_state_return(&program);
    return next;
}

host_function *slots_count(enum symbol symbol, const void *caller)
{
    if (!nested_in_host(caller))
        stats_forwarded_call(symbol);
    return host_blas_target(symbol);
}

host_function *slots_pass_on(enum symbol symbol, const void *caller)
{
    host_function *slot = __atomic_load_n(&forward_slots[symbol], __ATOMIC_ACQUIRE);
    if (slot == COUNT_THUNK(symbol))
        slot = slots_count(symbol, caller);
    if (slot != DISPATCH_THUNK(symbol) && slot != RESOLVE_THUNK(symbol))
        return slot;
    host_function *noted = callers_noted(symbol, caller);
    return noted ? noted : host_blas_resolve(symbol, caller);
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
    const int saved_errno = errno;
    copy_settings();
    host_blas_bind_at_load();
    errno = saved_errno;
}

#include "interpose/entry_slots.h"
#include "common/log.h"
#include "common/program_state.h"
#include "common/settings.h"
#include "interpose/host_search.h"
#include "interpose/stats.h"
#include "interpose/thunks.h"

#include <stdatomic.h>
#include <stddef.h>

/* The entries of either width, and the slots' first content. */
#define SLOT_32(symbol)
#define SLOT_64(symbol)
#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(symbol, interface, width, ...) SLOT_##width(symbol)
#define SLOT_DETECTED(symbol)          \
    extern host_function entry32_##symbol; \
    extern host_function entry64_##symbol;
#include "interpose/symbols.def"
#undef SLOT_DETECTED

static const struct {
    enum symbol symbol;
    host_function *entry32, *entry64;
} slots[SLOT_COUNT] = {
#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(symbol, interface, width, ...) SLOT_##width(symbol)
#define SLOT_DETECTED(symbol) {SYMBOL_##symbol, entry32_##symbol, entry64_##symbol},
#include "interpose/symbols.def"
#undef SLOT_DETECTED
};

host_function *entry_slots[SLOT_COUNT] = {
#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(symbol, interface, width, ...) SLOT_##width(symbol)
#define SLOT_DETECTED(symbol) ENTER_THUNK(SLOT_##symbol),
#include "interpose/symbols.def"
#undef SLOT_DETECTED
};
#undef SLOT_32
#undef SLOT_64

static void say_once(enum interface interface)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said))
        log_message(LOG_WARNING, "%s has no isamax to tell the width of its integers: such calls stay on the host",
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
        if (symbol_interface(slots[i].symbol) == interface)
            __atomic_store_n(&entry_slots[i], width == WIDTH_DETECTED ? host : entry_of((enum entry_slot)i, width),
                             __ATOMIC_RELEASE);
    }
}

void entry_slots_reset(enum interface interface)
{
    for (int i = 0; i < SLOT_COUNT; i++)
        if (symbol_interface(slots[i].symbol) == interface)
            __atomic_store_n(&entry_slots[i], ENTER_THUNK(i), __ATOMIC_RELEASE);
}

static host_function *enter(enum entry_slot slot, const void *caller)
{
    enum symbol symbol = slots[slot].symbol;
    enum interface interface = symbol_interface(symbol);
    host_function *host = host_blas_resolve(symbol, caller);
    if (!settings_are_readable())
        return host;
    /* The library that does mublas' work in this process is not asked: it would count that. */
    enum integer_width width = host_search_stands_behind() ? WIDTH_DETECTED : host_blas_width(interface);
    if (!host_blas_is_shared(interface) && (width != WIDTH_DETECTED || host_search_stands_behind()))
        settle(interface, width); /* otherwise a host of another width may yet come */
    if (width != WIDTH_DETECTED)
        return entry_of(slot, width);
    if (!host_blas_is_shared(interface) && !host_search_stands_behind())
        say_once(interface);
    stats_host_call(symbol, HOST_INTEGERS, 0);
    return host;
}

/* The library is asked what it takes, in arithmetic that may raise something. */
host_function *host_blas_enter(enum entry_slot slot, const void *caller)
{
    struct program_state program;
    program_state_set_aside(&program);
    host_function *next = enter(slot, caller);
    program_state_return(&program);
    return next;
}

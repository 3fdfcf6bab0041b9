#include "interpose/entries/width_entries.h"

#include "common/log.h"
#include "common/program_state.h"
#include "common/settings.h"
#include "interpose/report/stats.h"

#include <stdatomic.h>

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

static void (*settle)(enum interface interface, enum integer_width width);

enum symbol width_entry_symbol(enum entry_slot slot)
{
    return entries[slot].symbol;
}

host_function *width_entry_of(enum entry_slot slot, enum integer_width width)
{
    return width == WIDTH_64 ? entries[slot].entry64 : entries[slot].entry32;
}

void width_entries_listen(void (*listener)(enum interface interface, enum integer_width width))
{
    settle = listener;
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
    if (settle && !host_blas_is_shared(interface) &&
        (width != WIDTH_DETECTED || host_library_stands_behind()))
        settle(interface, width); /* otherwise a host of another width may yet come */
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

#include "interpose/entry_slots.h"
#include "common/log.h"
#include "interpose/host_search.h"
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
        log_message(LOG_WARNING, "%s has no isamax to tell the width of its integers: its calls stay on the host",
                    host_blas_path(interface));
}

/* The library that does mublas' work in this process is not asked: it would count that.
 * Hosts of several widths were spoken of when they were met. */
static enum integer_width width_of_host(enum interface interface)
{
    if (host_search_stands_behind())
        return WIDTH_DETECTED;
    enum integer_width width = host_blas_width(interface);
    if (width == WIDTH_DETECTED && !host_blas_is_shared(interface))
        say_once(interface);
    return width;
}

static host_function *entry_of(enum entry_slot slot, enum integer_width width)
{
    if (width == WIDTH_DETECTED)
        return __atomic_load_n(&forward_slots[slots[slot].symbol], __ATOMIC_ACQUIRE);
    return width == WIDTH_64 ? slots[slot].entry64 : slots[slot].entry32;
}

host_function *host_blas_enter(enum entry_slot slot, const void *caller)
{
    enum interface interface = symbol_interface(slots[slot].symbol);
    (void)host_blas_resolve(slots[slot].symbol, caller);
    enum integer_width width = width_of_host(interface);
    /* A host of another width may yet come. */
    for (int i = 0; i < SLOT_COUNT && !host_blas_is_shared(interface); i++)
        if (symbol_interface(slots[i].symbol) == interface)
            __atomic_store_n(&entry_slots[i], entry_of((enum entry_slot)i, width), __ATOMIC_RELEASE);
    return entry_of(slot, width);
}

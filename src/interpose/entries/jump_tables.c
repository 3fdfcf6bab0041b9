/* The tables that the stubs of forward.S jump through, which may always be jumped through.
 *
 * forward_slots, by symbol: to the host's own entry points, or to counting stubs (thunks.S) when a report
 * was asked for or it is not known yet whether it was, or to the stubs of host/thunks.h. entry_slots, for
 * calls past their gate in the interfaces whose names do not tell the integer width: to the entries of the
 * width that the host turned out to have, at first to a stub that finds that out. */
#include "common/settings.h"
#include "host/known_functions.h"
#include "interpose/entries/forwarding.h"
#include "interpose/entries/thunks.h"
#include "interpose/entries/width_entries.h"
#include "interpose/floors.h"
#include "interpose/report/exit_wait.h"
#include "interpose/report/stats.h"

#include <errno.h>

/* For forward.S. */
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

static void put(host_function **slot, host_function *function)
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
            put(&entry_slots[i], width == WIDTH_DETECTED ? host : width_entry_of(slot, width));
    }
}

static void unbind(enum interface interface)
{
    for (int i = 0; i < SLOT_COUNT; i++)
        if (is_of(i, interface))
            put(&entry_slots[i], ENTER_THUNK(i));
}

static void serve(enum symbol symbol, host_function *function, bool by_caller)
{
    host_function *target = by_caller ? DISPATCH_THUNK(symbol) : function;
    put(&counted_targets[symbol], target);
    put(&forward_slots[symbol], !target || stats_wanted() ? COUNT_THUNK(symbol) : target);
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
    if (stats_wanted()) {
        floors_let_lapack_in();
        exit_wait_begin();
    }
    errno = saved_errno;
}

#include "interpose/callers.h"
#include "common/log.h"
#include "interpose/calling_objects.h"
#include "interpose/nested.h"
#include "interpose/width.h"

#include <dlfcn.h>
#include <stdlib.h>

_Atomic uint64_t caller_cache[CALLER_CACHE_MASK / 8 + 1];
host_function **dispatch_tables[HOSTS_MAX];
__attribute__((aligned(64))) struct call_table call_table;

static struct host *_Atomic hosts[HOSTS_MAX]; /* without gaps, never removed */

static bool is_dispatched(enum symbol symbol)
{
    return interface_width(symbol_interface(symbol)) == WIDTH_DETECTED;
}

static struct host *create_host(const struct host_library *library)
{
    struct host *host = calloc(1, sizeof *host);
    if (!host)
        return NULL;
    host->library = *library;
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        enum symbol symbol = (enum symbol)i;
        host_function *function =
            is_dispatched(symbol) ? host_search_function(library, symbol_name(symbol)) : NULL;
        host->functions[i] = function ? function : RESOLVE_THUNK(symbol);
        if (function)
            host_search_retain_origin(library, function);
    }
    host->library.handle = NULL; /* nothing more is looked up */
    host->library.is_callers = false;
    return host;
}

static void say_several(const struct host *added)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const char *first = hosts[0]->library.path, *second = added->library.path;
    bool differ = callers_width(INTERFACE_NAME_) == WIDTH_DETECTED ||
                  callers_width(INTERFACE_cblas_NAME) == WIDTH_DETECTED;
    if (!differ)
        log_message(LOG_INFO, "%s and %s go by the same names: callers get their own", first, second);
    else if (!atomic_flag_test_and_set(&said))
        log_message(LOG_WARNING, "%s and %s go by the same names and may differ in the width of their integers: "
                    "callers get their own, and such calls stay on the host", first, second);
}

static int known_host(const struct host_library *library)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++)
        if (hosts[i]->library.start == library->start)
            return i;
    return -1;
}

/* The number of the host for a library that was found, known or new; libraries are told
 * apart by the code that was found. -1: no memory. */
static int enter_host(const struct host_library *library)
{
    int number = known_host(library);
    struct host *added = number < 0 ? create_host(library) : NULL;
    for (int i = 0; added && i < HOSTS_MAX; i++) {
        struct host *host = NULL;
        if (atomic_compare_exchange_strong(&hosts[i], &host, added)) {
            host_search_retain(library);
            nested_note_host(library->start, library->end);
            if (i > 0)
                say_several(added);
            return i;
        }
        if (host->library.start == library->start) {
            free(added);
            return i;
        }
    }
    if (added)
        log_message(LOG_ERROR, "%s is one BLAS too many (%d in a process): what calls it gets %s", library->path,
                    HOSTS_MAX, hosts[0]->library.path);
    free(added);
    return number < 0 && hosts[0] ? 0 : number;
}

/* What the loader would have bound the caller to. */
bool callers_search(const char *symbol, const void *caller, struct host_library *library)
{
    Dl_info object;
    if (!dladdr(caller, &object) || !object.dli_fname)
        return false;
    void *handle = dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return false;
    bool found = host_search_in(handle, symbol, "in the dependencies of the library that called", library);
    library->is_callers = true;
    if (!found)
        host_search_release(library);
    return found;
}

static int enter_callers_host(struct host_library *library)
{
    int number = enter_host(library);
    host_search_release(library);
    return number;
}

static int search_host(enum symbol symbol, const void *caller)
{
    struct host_library library;
    const char *sentinel = symbol_name(interface_sentinel(symbol_interface(symbol)));
    if (callers_search(sentinel, caller, &library) ||
        callers_search(symbol_name(symbol), caller, &library))
        return enter_callers_host(&library);
    if (hosts[0])
        return 0;
    if (host_search_program(symbol_name(symbol), &library) || host_search(sentinel, &library))
        return enter_host(&library);
    return -1;
}

/* An entry that is taken for another target stays as it is: see struct call_table. */
static void note_call(enum symbol symbol, uintptr_t caller, host_function *target)
{
    size_t entry = (caller >> CALL_ADDRESS_SHIFT & 0xffff) + CALL_SYMBOL((size_t)symbol);
    host_function *present = NULL;
    if (target != RESOLVE_THUNK(symbol) &&
        (atomic_compare_exchange_strong(&call_table.targets[entry], &present, target) || present == target))
        atomic_store(&call_table.sites[entry], caller);
}

static void cache(uintptr_t caller, int number)
{
    __atomic_store_n(&dispatch_tables[number], hosts[number]->functions, __ATOMIC_RELEASE);
    atomic_store(&caller_cache[(caller & CALLER_CACHE_MASK) / 8], caller | (uint64_t)number << CALLER_ADDRESS_BITS);
}

static void forget_in(_Atomic uint64_t *words, size_t count, uintptr_t start, uintptr_t end)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = words[i], caller = word & (((uint64_t)1 << CALLER_ADDRESS_BITS) - 1);
        if (caller >= start && caller < end)
            atomic_compare_exchange_strong(&words[i], &word, 0);
    }
}

/* What the thunks know of a library that goes. */
static void forget(uintptr_t start, uintptr_t end)
{
    forget_in(call_table.sites, CALL_TABLE_LENGTH, start, end);
    forget_in(caller_cache, sizeof caller_cache / sizeof *caller_cache, start, end);
}

struct host *callers_host(enum symbol symbol, const void *caller)
{
    uintptr_t address = (uintptr_t)caller;
    enum interface interface = symbol_interface(symbol);
    struct calling_object object = calling_objects_find(address, interface);
    if (!object.end || object.number < 0) {
        int number = search_host(symbol, caller);
        if (number < 0)
            return NULL;
        object = calling_objects_keep(address, interface, number, forget);
    }
    if (object.end || !object.start) {
        note_call(symbol, address, hosts[object.number]->functions[symbol]);
        cache(address, object.number);
    }
    if (object.end && !calling_objects_find(address, interface).end)
        forget(object.start, object.end); /* it began to go meanwhile */
    return hosts[object.number];
}

const struct host *callers_known_host(int number)
{
    return number < HOSTS_MAX ? hosts[number] : NULL;
}

static enum integer_width host_width(struct host *host, enum interface interface)
{
    int known = host->widths[interface];
    if (!known) {
        enum symbol telling = width_telling_symbol(interface);
        host_function *isamax = host->functions[telling];
        enum integer_width width = isamax == RESOLVE_THUNK(telling) ? WIDTH_DETECTED : width_ask(interface, isamax);
        known = (int)width + 1;
        host->widths[interface] = known;
    }
    return (enum integer_width)(known - 1);
}

enum integer_width callers_width(enum interface interface)
{
    enum integer_width width = WIDTH_DETECTED;
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++) {
        enum integer_width one = host_width(hosts[i], interface);
        if (one == WIDTH_DETECTED || (i > 0 && one != width))
            return WIDTH_DETECTED;
        width = one;
    }
    return width;
}

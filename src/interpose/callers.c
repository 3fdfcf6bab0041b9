#include "interpose/callers.h"
#include "common/log.h"
#include "interpose/calling_objects.h"
#include "interpose/nested.h"
#include "interpose/retained.h"
#include "interpose/width.h"

#include <dlfcn.h>
#include <stdlib.h>

_Atomic uint64_t caller_cache[CALLER_CACHE_MASK / 8 + 1];
host_function **dispatch_tables[HOSTS_MAX];
__attribute__((aligned(64))) struct call_table call_table;

static struct host *_Atomic hosts[HOSTS_MAX]; /* without gaps, never removed */

static bool is_present(const struct host *host)
{
    return host && host->state == HOST_PRESENT;
}

/* The number of the first, -1 if there is none. */
static int first_host(void)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++)
        if (is_present(hosts[i]))
            return i;
    return -1;
}

static void clear_calls(uintptr_t start, uintptr_t end)
{
    for (size_t i = 0; i < CALL_TABLE_LENGTH; i++) {
        uintptr_t target = (uintptr_t)call_table.targets[i];
        if (target >= start && target < end)
            call_table.sites[i] = 0;
    }
}

static void clear_cache(int number)
{
    for (size_t i = 0; i < sizeof caller_cache / sizeof *caller_cache; i++) {
        uint64_t word = caller_cache[i];
        if (word && word >> CALLER_ADDRESS_BITS == (uint64_t)number)
            atomic_compare_exchange_strong(&caller_cache[i], &word, 0);
    }
}

/* Of a host that is unloaded: since the plug-in that called it at last, in a destructor, is. */
static void forget_host(uintptr_t start, uintptr_t end)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++) {
        struct host *host = hosts[i];
        int present = HOST_PRESENT;
        for (int symbol = 0; symbol < SYMBOL_COUNT; symbol++) {
            uintptr_t function = (uintptr_t)host->functions[symbol];
            if (function >= start && function < end)
                __atomic_store_n(&host->functions[symbol], RESOLVE_THUNK(symbol), __ATOMIC_RELEASE);
        }
        if (host->library.start != start || !atomic_compare_exchange_strong(&host->state, &present, HOST_GONE))
            continue;
        calling_objects_forget_host(i);
        clear_cache(i);
    }
    clear_calls(start, end);
}

static bool is_dispatched(enum symbol symbol)
{
    return interface_width(symbol_interface(symbol)) == WIDTH_DETECTED;
}

static void fill_host(struct host *host, const struct host_library *library)
{
    host->library = *library;
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        enum symbol symbol = (enum symbol)i;
        host_function *function =
            is_dispatched(symbol) ? host_search_function(library, symbol_name(symbol)) : NULL;
        host->functions[i] = function ? function : RESOLVE_THUNK(symbol);
        if (function)
            retained_keep_origin(library, function, forget_host);
    }
    for (int i = 0; i < INTERFACE_COUNT; i++)
        host->widths[i] = 0;
    host->library.handle = NULL; /* nothing more is looked up */
    host->library.is_callers = false;
    host->state = HOST_PRESENT;
}

static void say_several(const struct host *first, const struct host *added)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    bool differ = callers_width(INTERFACE_NAME_) == WIDTH_DETECTED ||
                  callers_width(INTERFACE_cblas_NAME) == WIDTH_DETECTED;
    if (!differ)
        log_message(LOG_INFO, "%s and %s go by the same names: callers get their own", first->library.path,
                    added->library.path);
    else if (!atomic_flag_test_and_set(&said))
        log_message(LOG_WARNING, "%s and %s go by the same names and may differ in the width of their integers: "
                    "callers get their own, and such calls stay on the host", first->library.path, added->library.path);
}

static int known_host(const struct host_library *library)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++)
        if (is_present(hosts[i]) && hosts[i]->library.start == library->start)
            return i;
    return -1;
}

/* A new one in the place of one that is gone, or the first free; -1: none, or no memory. */
static int add_host(const struct host_library *library)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++) {
        int gone = HOST_GONE;
        if (!atomic_compare_exchange_strong(&hosts[i]->state, &gone, HOST_FILLED))
            continue;
        fill_host(hosts[i], library);
        return i;
    }
    struct host *added = calloc(1, sizeof *added);
    if (added)
        fill_host(added, library);
    for (int i = 0; added && i < HOSTS_MAX; i++) {
        struct host *host = NULL;
        if (atomic_compare_exchange_strong(&hosts[i], &host, added))
            return i;
        if (is_present(host) && host->library.start == library->start) {
            free(added);
            return i;
        }
    }
    if (added)
        log_message(LOG_ERROR, "%s is one BLAS too many (%d in a process): what calls it gets %s", library->path,
                    HOSTS_MAX, hosts[0]->library.path);
    free(added);
    return first_host();
}

/* The number of the host for a library that was found, known or new; libraries are told
 * apart by the code that was found. -1: no memory. */
static int enter_host(const struct host_library *library)
{
    int number = known_host(library);
    if (number >= 0)
        return number;
    number = add_host(library);
    if (number < 0 || hosts[number]->library.start != library->start)
        return number;
    retained_keep(library, forget_host);
    nested_note_host(library->start, library->end);
    if (first_host() != number)
        say_several(hosts[first_host()], hosts[number]);
    return number;
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
    if (first_host() >= 0)
        return first_host();
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
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++)
        if (is_present(hosts[i]) && number-- == 0)
            return hosts[i];
    return NULL;
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
        if (!is_present(hosts[i]))
            continue;
        enum integer_width one = host_width(hosts[i], interface);
        if (one == WIDTH_DETECTED || (width != WIDTH_DETECTED && one != width))
            return WIDTH_DETECTED;
        width = one;
    }
    return width;
}

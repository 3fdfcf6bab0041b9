#include "host/host_blas.h"
#include "common/loader.h"
#include "common/log.h"
#include "host/host_search.h"
#include "host/symbols.h"

#include <dlfcn.h>
#include <stdlib.h>

static struct host *_Atomic hosts[HOSTS_MAX]; /* without gaps, never removed */

static bool is_present(const struct host *host)
{
    return host && host->state == HOST_PRESENT;
}

static bool serves_kind(const struct host *host, enum interface interface)
{
    for (int i = 0; i < INTERFACE_COUNT; i++)
        if (host->serves[i] && interface_is_lapack((enum interface)i) == interface_is_lapack(interface))
            return true;
    return false;
}

/* The number of the first that is loaded and serves anybody by names of this interface's kind, BLAS or
 * LAPACK; -1 if there is none. */
static int shared_hosts_first(enum interface interface)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++)
        if (is_present(hosts[i]) && serves_kind(hosts[i], interface))
            return i;
    return -1;
}

static struct host *shared_hosts_get(int number)
{
    return hosts[number];
}

/* The library whose code begins there goes. Waits for nobody. */
static void shared_hosts_forget(uintptr_t start)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++) {
        int present = HOST_PRESENT;
        if (hosts[i]->library.start != start ||
            !atomic_compare_exchange_strong(&hosts[i]->state, &present, HOST_GONE))
            continue;
        for (int symbol = 0; symbol < SYMBOL_COUNT; symbol++)
            __atomic_store_n(&hosts[i]->functions[symbol], NULL, __ATOMIC_RELEASE);
        calling_objects_forget_host(i);
    }
}

static bool is_dispatched(enum symbol symbol)
{
    return interface_width(symbol_interface(symbol)) == WIDTH_DETECTED;
}

/* Looked up in the library itself: what else the first caller is linked with is not others'. */
static void fill_host(struct host *host, const struct host_library *found)
{
    struct host_library library = *found;
    void *own = found->is_callers ? loader_open(found->path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (own)
        library.handle = own;
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        enum symbol symbol = (enum symbol)i;
        host->functions[i] =
            is_dispatched(symbol) ? host_library_function(&library, symbol_name(symbol)) : NULL;
    }
    if (own)
        loader_close(own);
    for (int i = 0; i < INTERFACE_COUNT; i++) {
        host->serves[i] = false;
        host->widths[i] = 0;
    }
    host->library = *found;
    host->library.handle = NULL; /* nothing more is looked up */
    host->library.is_callers = false;
    host->state = HOST_PRESENT;
}

static enum integer_width host_width(struct host *host, enum interface interface)
{
    int known = host->widths[interface];
    if (!known) {
        enum symbol telling = width_telling_symbol(interface);
        host_function *isamax = host->functions[telling];
        known = 1 + (int)(isamax ? width_ask(interface, isamax) : WIDTH_DETECTED);
        host->widths[interface] = known;
    }
    return (enum integer_width)(known - 1);
}

/* The common width of the hosts that serve anybody by this interface's names. WIDTH_DETECTED, with `differ`
 * set, if they differ or do not tell; otherwise there is none. */
static enum integer_width width_of_all(enum interface interface, bool *differ)
{
    enum integer_width width = WIDTH_DETECTED;
    for (int i = 0; i < HOSTS_MAX && hosts[i] && !*differ; i++) {
        if (!is_present(hosts[i]) || !hosts[i]->serves[interface])
            continue;
        enum integer_width one = host_width(hosts[i], interface);
        *differ = one == WIDTH_DETECTED || (width != WIDTH_DETECTED && one != width);
        width = one;
    }
    return *differ ? WIDTH_DETECTED : width;
}

static void say_several(const struct host *first, const struct host *added, bool is_new)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const char *one = first->library.path, *other = added->library.path;
    bool differ = false;
    width_of_all(INTERFACE_NAME_, &differ);
    width_of_all(INTERFACE_cblas_NAME, &differ);
    if (!differ && is_new)
        log_message(LOG_INFO, "%s and %s go by the same names: callers get their own", one, other);
    else if (differ && !atomic_flag_test_and_set(&said))
        log_message(LOG_WARNING, "%s and %s go by the same names and may differ in the width of their "
                    "integers: callers get their own, and such calls stay on the host", one, other);
}

static int known_host(const struct host_library *library)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++)
        if (is_present(hosts[i]) && hosts[i]->library.start == library->start)
            return i;
    return -1;
}

/* A new one in the place of one that is gone, or the first free; -1: none, or no memory. */
static int add_host(const struct host_library *library, enum interface interface)
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
        log_message(LOG_ERROR, "%s is one BLAS too many (%d in a process): what calls it gets %s",
                    library->path, HOSTS_MAX, hosts[0]->library.path);
    free(added);
    return shared_hosts_first(interface);
}

/* The number of the host for a library that was found, known or new, which serves callers by
 * this interface's names; libraries are told apart by the code that was found. -1: no memory.
 * It stays loaded but for what host_blas.h says: `forget` is to call shared_hosts_forget. */
static int shared_hosts_enter(const struct host_library *library, enum interface interface,
                              retained_forget *forget)
{
    int number = known_host(library);
    bool known = number >= 0;
    if (!known)
        number = add_host(library, interface);
    if (number < 0 || hosts[number]->library.start != library->start)
        return number;
    bool served = atomic_exchange(&hosts[number]->serves[interface], true);
    if (!known) {
        retained_keep(library, forget);
        if (!interface_is_lapack(interface))
            nested_note_host(library->start, library->end);
    }
    if (!served)
        host_paths_tell_unused(interface, library);
    const int first = shared_hosts_first(interface);
    if (!served && first != number)
        say_several(hosts[first], hosts[number], !known);
    return number;
}

const struct host *shared_hosts_loaded(enum interface interface, int number)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++)
        if (is_present(hosts[i]) && hosts[i]->serves[interface] && number-- == 0)
            return hosts[i];
    return NULL;
}

enum integer_width shared_hosts_width(enum interface interface)
{
    bool differ = false;
    return width_of_all(interface, &differ);
}

_Atomic uint64_t caller_cache[CALLER_CACHE_MASK / 8 + 1];
host_function **dispatch_tables[HOSTS_MAX];
__attribute__((aligned(64))) struct call_table call_table;

static void forget_in(_Atomic uint64_t *words, size_t count, uintptr_t start, uintptr_t end)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = words[i], caller = word & (((uint64_t)1 << CALLER_ADDRESS_BITS) - 1);
        if (caller >= start && caller < end)
            atomic_compare_exchange_strong(&words[i], &word, 0);
    }
}

/* Clears the thunks' entries for callers in a library that goes. */
static void forget(uintptr_t start, uintptr_t end)
{
    forget_in(call_table.sites, CALL_TABLE_LENGTH, start, end);
    forget_in(caller_cache, sizeof caller_cache / sizeof *caller_cache, start, end);
}

/* Forgets a library with routines that goes, since the plug-in goes that called it at last, in a destructor.
 * The library's dependencies may go with it. */
static void forget_library(uintptr_t start, uintptr_t end)
{
    (void)end;
    shared_hosts_forget(start);
    forget(1, UINTPTR_MAX);
}

/* A handle of the caller's own library; NULL for the program. */
static void *open_caller(const void *caller)
{
    Dl_info object;
    bool found = loader_address(caller, &object) && object.dli_fname;
    return found ? loader_open(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* Finds the library that the loader would have bound the caller to. */
bool callers_search(const char *symbol, const void *caller, struct host_library *library)
{
    void *handle = open_caller(caller);
    if (!handle)
        return false;
    bool found = host_library_in(handle, symbol, "in the dependencies of the library that called", library);
    library->is_callers = true;
    if (!found)
        host_library_release(library);
    return found;
}

/* The same where that is mublas' libblas64.so.3, which this library does the work of. */
static bool search_wide(const char *sentinel, const void *caller, struct host_library *library)
{
    void *handle = open_caller(caller);
    bool wide = handle && host_search_means_wide(handle, sentinel);
    if (handle)
        loader_close(handle);
    return wide && host_paths_search(sentinel, true, library);
}

static int enter_callers_host(struct host_library *library, enum interface interface)
{
    int number = shared_hosts_enter(library, interface, forget_library);
    host_library_release(library);
    return number;
}

static int search_host(enum symbol symbol, const void *caller)
{
    struct host_library library;
    enum interface interface = symbol_interface(symbol);
    const char *sentinel = symbol_name(interface_sentinel(interface));
    if (callers_search(sentinel, caller, &library) || callers_search(symbol_name(symbol), caller, &library))
        return enter_callers_host(&library, interface);
    if (search_wide(sentinel, caller, &library))
        return shared_hosts_enter(&library, interface, forget_library);
    int first = shared_hosts_first(interface);
    if (first >= 0)
        shared_hosts_get(first)->serves[interface] = true;
    else if (host_search_program(symbol_name(symbol), &library) || host_search(sentinel, &library))
        first = shared_hosts_enter(&library, interface, forget_library);
    return first;
}

static size_t entry_of(enum symbol symbol, uintptr_t caller)
{
    return (caller >> CALL_ADDRESS_SHIFT & 0xffff) + CALL_SYMBOL((size_t)symbol);
}

host_function *callers_noted(enum symbol symbol, const void *caller)
{
    const size_t entry = entry_of(symbol, (uintptr_t)caller);
    const bool is_noted = atomic_load(&call_table.sites[entry]) == (uintptr_t)caller;
    return is_noted ? atomic_load(&call_table.targets[entry]) : NULL;
}

/* An entry that is taken for another target stays as it is: see struct call_table. */
static void note_call(enum symbol symbol, uintptr_t caller, host_function *target)
{
    const size_t entry = entry_of(symbol, caller);
    host_function *present = NULL;
    if (atomic_compare_exchange_strong(&call_table.targets[entry], &present, target) || present == target)
        atomic_store(&call_table.sites[entry], caller);
}

static void cache(uintptr_t caller, int number)
{
    uint64_t word = caller | (uint64_t)number << CALLER_ADDRESS_BITS;
    __atomic_store_n(&dispatch_tables[number], shared_hosts_get(number)->functions, __ATOMIC_RELEASE);
    atomic_store(&caller_cache[(caller & CALLER_CACHE_MASK) / 8], word);
}

/* Finds a routine that the caller's host lacks in another library that the caller is linked with. */
static host_function *search_beside_host(enum symbol symbol, const void *caller)
{
    struct host_library library;
    if (!callers_search(symbol_name(symbol), caller, &library))
        return NULL;
    host_function *function = host_library_function(&library, symbol_name(symbol));
    retained_keep(&library, forget_library);
    host_library_release(&library);
    return function;
}

host_function *callers_function(enum symbol symbol, const void *caller, struct host **host)
{
    uintptr_t address = (uintptr_t)caller;
    enum interface interface = symbol_interface(symbol);
    struct calling_object object = calling_objects_find(address, interface);
    *host = NULL;
    if (!object.end || object.number < 0) {
        int number = search_host(symbol, caller);
        if (number < 0)
            return NULL;
        object = calling_objects_keep(address, interface, number, forget);
    }
    *host = shared_hosts_get(object.number);
    host_function *function = __atomic_load_n(&(*host)->functions[symbol], __ATOMIC_ACQUIRE);
    if (!function)
        function = search_beside_host(symbol, caller);
    if (object.end || !object.start) {
        if (function)
            note_call(symbol, address, function);
        cache(address, object.number);
    }
    if (object.end && !calling_objects_find(address, interface).end)
        forget(object.start, object.end); /* it began to go meanwhile */
    return function;
}

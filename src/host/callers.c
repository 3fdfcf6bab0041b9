#include "host/callers.h"
#include "common/loader.h"
#include "host/calling_objects.h"
#include "host/host_paths.h"
#include "host/host_search.h"
#include "host/retained.h"

#include <dlfcn.h>

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

/* What the thunks know of a library that goes. */
static void forget(uintptr_t start, uintptr_t end)
{
    forget_in(call_table.sites, CALL_TABLE_LENGTH, start, end);
    forget_in(caller_cache, sizeof caller_cache / sizeof *caller_cache, start, end);
}

/* Of a library with routines that is unloaded: since the plug-in that called it at last, in a
 * destructor, is. What it depends on may go with it. */
static void forget_library(uintptr_t start, uintptr_t end)
{
    (void)end;
    shared_hosts_forget(start);
    forget(1, UINTPTR_MAX);
}

/* Of the caller's own; NULL for the program. */
static void *open_caller(const void *caller)
{
    Dl_info object;
    bool found = loader_address(caller, &object) && object.dli_fname;
    return found ? loader_open(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* What the loader would have bound the caller to. */
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

/* Of a routine that the caller's host lacks, and another library that it is linked with has. */
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

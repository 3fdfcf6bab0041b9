#include "host/host_blas.h"
#include "common/log.h"
#include "common/program_state.h"
#include "common/settings.h"
#include "host/host_search.h"
#include "host/symbols.h"

#include <stdatomic.h>
#include <stdlib.h>

static host_function *functions[SYMBOL_COUNT];
static bool are_by_caller[SYMBOL_COUNT];
static const struct known_functions_listener *listener;

host_function *known_function(enum symbol symbol)
{
    return __atomic_load_n(&functions[symbol], __ATOMIC_ACQUIRE);
}

static bool known_function_is_by_caller(enum symbol symbol)
{
    return __atomic_load_n(&are_by_caller[symbol], __ATOMIC_ACQUIRE);
}

static const struct known_functions_listener *listener_now(void)
{
    return __atomic_load_n(&listener, __ATOMIC_SEQ_CST);
}

static void tell_listener(enum symbol symbol)
{
    if (listener_now())
        listener_now()->serve(symbol, known_function(symbol), known_function_is_by_caller(symbol));
}

/* `function` serves the symbol from now on, or each caller's own host does. Neither: its library has gone. */
static void known_function_set(enum symbol symbol, host_function *function, bool by_caller)
{
    __atomic_store_n(&are_by_caller[symbol], by_caller, __ATOMIC_SEQ_CST);
    __atomic_store_n(&functions[symbol], function, __ATOMIC_SEQ_CST);
    tell_listener(symbol);
}

/* All of an interface have gone with their library: after known_function_set for each. */
static void known_functions_unbound(enum interface interface)
{
    if (listener_now())
        listener_now()->unbind(interface);
}

void known_functions_listen(const struct known_functions_listener *one)
{
    __atomic_store_n(&listener, one, __ATOMIC_SEQ_CST);
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (known_function((enum symbol)i) || known_function_is_by_caller((enum symbol)i))
            tell_listener((enum symbol)i);
}

/* BINDING: some thread changes the slots just now. SHARED: callers have hosts of their own (callers.c). */
enum { UNBOUND, BINDING, BOUND, SHARED };
static struct binding {
    atomic_int state;
    atomic_int width;            /* enum integer_width + 1 once known, 0 before */
    struct host_library library; /* once BOUND */
} bindings[INTERFACE_COUNT];

static int state_of(enum interface interface)
{
    return atomic_load_explicit(&bindings[interface].state, memory_order_acquire);
}

bool host_blas_is_shared(enum interface interface)
{
    return state_of(interface) == SHARED;
}

/* True when the library was that interface's host: nobody's any more, but not free yet. */
static bool unbind(enum interface interface, uintptr_t start)
{
    int bound = BOUND;
    return state_of(interface) == BOUND && bindings[interface].library.start == start &&
           atomic_compare_exchange_strong(&bindings[interface].state, &bound, BINDING);
}

/* A library that is unloaded, since the plug-in whose first call came from a destructor is;
 * what it depends on may go with it. */
static void forget_library(uintptr_t start, uintptr_t end)
{
    bool unbound[INTERFACE_COUNT];
    for (int i = 0; i < INTERFACE_COUNT; i++)
        unbound[i] = unbind((enum interface)i, start);
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        uintptr_t function = (uintptr_t)known_function((enum symbol)i);
        if ((function < start || function >= end) && !unbound[symbol_interface((enum symbol)i)])
            continue;
        known_function_set((enum symbol)i, NULL, false);
    }
    for (int i = 0; i < INTERFACE_COUNT; i++) {
        if (!unbound[i])
            continue;
        known_functions_unbound((enum interface)i);
        bindings[i].width = 0;
        atomic_store_explicit(&bindings[i].state, UNBOUND, memory_order_release);
    }
}

/* The first of several threads to get here decides; the others' calls are served
 * from what they found themselves. `plain`: the library has the routines by plain names;
 * `at_start`: by host_search_at_start. */
static void publish(enum interface interface, const struct host_library *library, bool plain, bool at_start)
{
    struct binding *binding = &bindings[interface];
    int expected = UNBOUND;
    if (!settings_are_readable())
        return; /* bind_at_load will know whether calls are counted */
    if (!atomic_compare_exchange_strong(&binding->state, &expected, BINDING))
        return;
    binding->library = *library;
    binding->library.handle = NULL; /* nothing more is looked up */
    if (!at_start)
        retained_keep(library, forget_library);
    if (!interface_is_lapack(interface)) /* which calls BLAS for itself, and that is counted */
        nested_note_host(library->start, library->end);
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        if (symbol_interface((enum symbol)i) != interface)
            continue;
        enum symbol symbol = plain ? symbol_plain((enum symbol)i) : (enum symbol)i;
        host_function *function = at_start ? host_library_start_function(library, symbol_name(symbol))
                                           : host_library_function(library, symbol_name(symbol));
        if (!function)
            continue;
        if (!at_start)
            retained_keep_origin(library, function, forget_library);
        known_function_set((enum symbol)i, function, false);
    }
    atomic_store_explicit(&binding->state, BOUND, memory_order_release);
    if (!at_start)
        host_paths_tell_unused(interface, library);
}

static void share(enum interface interface)
{
    int expected = UNBOUND;
    if (!atomic_compare_exchange_strong(&bindings[interface].state, &expected, SHARED))
        return;
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (symbol_interface((enum symbol)i) == interface)
            known_function_set((enum symbol)i, NULL, true);
}

void host_blas_bind_at_load(void)
{
    host_library_note_start();
    for (int i = 0; i < INTERFACE_COUNT; i++) {
        enum interface interface = (enum interface)i;
        struct host_library library;
        if (state_of(interface) == UNBOUND &&
            host_search_at_start(symbol_name(interface_sentinel(interface)), &library))
            publish(interface, &library, false, true);
    }
}

const struct host_library *host_blas_library(enum interface interface, int number)
{
    if (host_blas_is_shared(interface))
        return shared_hosts_loaded(interface, number) ? &shared_hosts_loaded(interface, number)->library
                                                      : NULL;
    return number == 0 && state_of(interface) == BOUND ? &bindings[interface].library : NULL;
}

bool host_blas_is_reference(void)
{
    const struct host_library *library;
    bool any = false;
    for (int i = 0; i < INTERFACE_COUNT && !interface_is_lapack((enum interface)i); i++)
        for (int number = 0; (library = host_blas_library((enum interface)i, number)); number++) {
            any = true;
            if (!host_library_is_reference(library))
                return false;
        }
    return any;
}

void host_blas_tell_unused(void)
{
    for (int i = 0; i < INTERFACE_COUNT; i++)
        if (state_of((enum interface)i) == BOUND)
            host_paths_tell_unused((enum interface)i, &bindings[i].library);
}

static const char *path_of(const struct host_library *library)
{
    return library ? library->path : "none";
}

static const char *kind_of(enum symbol symbol)
{
    return interface_is_lapack(symbol_interface(symbol)) ? "LAPACK" : "BLAS";
}

static _Noreturn void stop_without_host(enum symbol symbol)
{
    log_message(LOG_ERROR,
                "no host %s found for %s: the program has loaded none and no default can be opened; "
                "set MUBLAS_HOST_BLAS to one",
                kind_of(symbol), symbol_name(symbol));
    abort();
}

/* The bound library lacks it; the program may have another that does not, such as
 * the real BLAS behind a wrapper of a few routines. */
static host_function *search_elsewhere(enum symbol symbol, const char *bound_path)
{
    struct host_library library;
    const char *name = symbol_name(symbol);
    if (!host_search_program(name, &library)) {
        log_message(LOG_ERROR, "the host %s %s has no %s, which the program calls", kind_of(symbol),
                    bound_path, name);
        abort();
    }
    retained_keep(&library, forget_library);
    return host_library_function(&library, name);
}

static host_function *resolve_by_caller(enum symbol symbol, const void *caller)
{
    struct host *host;
    host_function *function = callers_function(symbol, caller, &host);
    if (!host)
        stop_without_host(symbol);
    if (!function) {
        function = search_elsewhere(symbol, host->library.path);
        __atomic_store_n(&host->functions[symbol], function, __ATOMIC_RELEASE);
    }
    return function;
}

/* Not in the search order, but in what the caller's own library brought along: a whole LAPACK beside a
 * part of one. */
static bool is_callers_own(enum symbol symbol, const void *caller)
{
    struct host_library library;
    const char *name = symbol_name(symbol);
    const bool found = !host_search_is_by_path(name) && !host_search_next(name, &library) &&
                       callers_search(name, caller, &library);
    if (found)
        host_library_release(&library);
    return found;
}

static host_function *resolve_directly(enum symbol symbol, const void *caller)
{
    host_function *function = known_function(symbol);
    if (function)
        return function;
    if (is_callers_own(symbol, caller)) {
        known_function_set(symbol, NULL, true);
        return resolve_by_caller(symbol, caller);
    }
    function = search_elsewhere(symbol, path_of(host_blas_library(symbol_interface(symbol), 0)));
    known_function_set(symbol, function, false);
    return function;
}

/* Searches for a library outside the search order; by plain names callers may mean different ones. */
static bool search_late(enum symbol symbol, const void *caller, struct host_library *library)
{
    enum interface interface = symbol_interface(symbol);
    const bool by_path = host_search_is_by_path(symbol_name(symbol));
    if (!by_path && interface_width(interface) == WIDTH_DETECTED) {
        share(interface);
        return false;
    }
    return (!by_path && callers_search(symbol_name(symbol), caller, library)) ||
           host_search_program(symbol_name(symbol), library) ||
           host_search(symbol_name(interface_sentinel(interface)), library);
}

/* Binds the interface, or shares it. The function of what was found, if it has it. */
static host_function *bind_late(enum symbol symbol, const void *caller)
{
    struct host_library library;
    enum interface interface = symbol_interface(symbol);
    if (host_search_next(symbol_name(symbol), &library) || search_late(symbol, caller, &library)) {
        publish(interface, &library, false, false);
        host_function *function = host_library_function(&library, symbol_name(symbol));
        host_library_release(&library);
        return function;
    }
    if (host_blas_is_shared(interface))
        return NULL;
    if (!host_paths_search_plain(interface, &library))
        stop_without_host(symbol);
    publish(interface, &library, true, false);
    return host_library_function(&library, symbol_name(symbol_plain(symbol)));
}

static host_function *resolve(enum symbol symbol, const void *caller)
{
    enum interface interface = symbol_interface(symbol);
    host_function *early = settings_are_readable() ? NULL : host_search_early(symbol_name(symbol));
    if (early)
        return early;
    host_function *function = state_of(interface) < BOUND ? bind_late(symbol, caller) : NULL;
    if (function)
        return function;
    if (known_function_is_by_caller(symbol) || host_blas_is_shared(interface))
        return resolve_by_caller(symbol, caller);
    return resolve_directly(symbol, caller);
}

/* Looking for a library tries names, and runs the constructors of what it opens. */
host_function *host_blas_resolve(enum symbol symbol, const void *caller)
{
    struct program_state program;
    program_state_set_aside(&program);
    host_function *function = resolve(symbol, caller);
    program_state_return(&program);
    return function;
}

/* Binds the plain names only: -lmublas does not stand for other interfaces' libraries. */
void host_blas_bind_now(void)
{
    static const enum interface interfaces[] = {INTERFACE_NAME_, INTERFACE_cblas_NAME};
    struct program_state program;
    program_state_set_aside(&program);
    for (size_t i = 0; host_search_by_path && i < sizeof interfaces / sizeof *interfaces; i++) {
        struct host_library library;
        if (state_of(interfaces[i]) == UNBOUND &&
            host_search(symbol_name(interface_sentinel(interfaces[i])), &library))
            publish(interfaces[i], &library, false, false);
    }
    program_state_return(&program);
}

host_function *host_blas_function(enum symbol symbol, const void *caller)
{
    host_function *function = known_function(symbol);
    return function ? function : host_blas_resolve(symbol, caller);
}

enum integer_width host_blas_width(enum interface interface)
{
    atomic_int *known = &bindings[interface].width;
    if (interface_width(interface) != WIDTH_DETECTED)
        return interface_width(interface);
    if (host_blas_is_shared(interface))
        return shared_hosts_width(interface);
    if (!*known) {
        enum symbol telling = width_telling_symbol(interface);
        host_function *isamax = known_function(telling);
        *known = 1 + (int)(isamax ? width_ask(interface, isamax) : WIDTH_DETECTED);
    }
    return (enum integer_width)(*known - 1);
}

/* The plain names, in the order of the families and types. */
#define EVERY(name) {SYMBOL_s##name##_, SYMBOL_d##name##_, SYMBOL_c##name##_, SYMBOL_z##name##_}
#define COMPLEX(name) {SYMBOL_COUNT, SYMBOL_COUNT, SYMBOL_c##name##_, SYMBOL_z##name##_}
static const uint16_t level3_symbols[FAMILY_COUNT - FAMILY_GEMM][4] = {
#define FAMILY(...)
#define LEVEL3_FAMILY(NAME, name, types, ...) types(name),
#include "common/routines.def"
};

/* The Fortran interface that libraries have beside a C one, with integers of the same width. */
static enum interface fortran_interface(enum interface interface)
{
    switch (interface) {
    case INTERFACE_cblas_NAME: return INTERFACE_NAME_;
    case INTERFACE_cblas_NAME64_:
    case INTERFACE_cblas_NAME_64: return INTERFACE_NAME_64_;
    case INTERFACE_scipy_cblas_NAME: return INTERFACE_scipy_NAME_;
    case INTERFACE_scipy_cblas_NAME64_: return INTERFACE_scipy_NAME_64_;
    default: return interface;
    }
}

bool host_level3_run(enum symbol symbol, const void *caller, const struct blas_call *call)
{
    if (call->family < FAMILY_GEMM || call->family >= FAMILY_COUNT || call->type > TYPE_Z)
        return false;
    const unsigned plain = level3_symbols[call->family - FAMILY_GEMM][call->type];
    if (plain == SYMBOL_COUNT)
        return false;
    /* symbols.def has a routine's symbols one after the other, in the order of the interfaces. */
    const enum interface interface = fortran_interface(symbol_interface(symbol));
    routine_call(host_blas_function((enum symbol)(plain + interface - INTERFACE_NAME_), caller), call);
    return true;
}

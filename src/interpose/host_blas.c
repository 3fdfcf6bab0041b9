#include "interpose/host_blas.h"
#include "common/log.h"
#include "interpose/host_search.h"
#include "interpose/stats.h"
#include "interpose/thunks.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Both tables are filled before any constructor runs, since another library's may
 * call BLAS. Until binding settles whether calls are to be counted, they are. */
host_function *host_functions[SYMBOL_COUNT] = {
#define FORWARDED_SYMBOL(symbol, ...) THUNK(resolve, SYMBOL_##symbol),
#define OFFLOADED_SYMBOL(symbol, ...) THUNK(resolve, SYMBOL_##symbol),
#include "interpose/symbols.def"
};
host_function *forward_slots[SYMBOL_COUNT] = {
#define FORWARDED_SYMBOL(symbol, ...) THUNK(count, SYMBOL_##symbol),
#define OFFLOADED_SYMBOL(symbol, ...) THUNK(count, SYMBOL_##symbol),
#include "interpose/symbols.def"
};

enum { UNBOUND, BINDING, BOUND };
static struct binding {
    atomic_int state;
    atomic_int width;            /* enum integer_width, once asked for; -1: in vain */
    struct host_library library; /* once BOUND */
} bindings[INTERFACE_COUNT];

bool host_blas_is_bound(enum interface interface)
{
    return atomic_load_explicit(&bindings[interface].state, memory_order_acquire) == BOUND;
}

static bool has(enum symbol symbol)
{
    return __atomic_load_n(&host_functions[symbol], __ATOMIC_ACQUIRE) != THUNK(resolve, symbol);
}

static void publish_function(enum symbol symbol, host_function *function)
{
    host_function *slot = stats_wanted() ? THUNK(count, symbol) : function;
    __atomic_store_n(&host_functions[symbol], function, __ATOMIC_RELEASE);
    __atomic_store_n(&forward_slots[symbol], slot, __ATOMIC_RELEASE);
}

/* The first of several threads to get here decides; the others' calls are served
 * from what they found themselves. */
static void publish(enum interface interface, const struct host_library *library)
{
    struct binding *binding = &bindings[interface];
    int expected = UNBOUND;
    if (!atomic_compare_exchange_strong(&binding->state, &expected, BINDING))
        return;
    binding->library = *library;
    host_search_retain(library);
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        if (symbol_interface((enum symbol)i) != interface)
            continue;
        host_function *function = host_search_function(library, symbol_name((enum symbol)i));
        if (function)
            publish_function((enum symbol)i, function);
    }
    atomic_store_explicit(&binding->state, BOUND, memory_order_release);
}

__attribute__((constructor)) static void bind_at_load(void)
{
    for (int i = 0; i < INTERFACE_COUNT; i++) {
        enum interface interface = (enum interface)i;
        struct host_library library;
        if (!host_blas_is_bound(interface) && host_search_next(symbol_name(interface_sentinel(interface)), &library))
            publish(interface, &library);
    }
}

bool host_blas_bind(enum interface interface)
{
    struct host_library library;
    if (host_blas_is_bound(interface))
        return true;
    if (!host_search(symbol_name(interface_sentinel(interface)), &library))
        return false;
    publish(interface, &library);
    return true;
}

const char *host_blas_path(enum interface interface)
{
    return host_blas_is_bound(interface) ? bindings[interface].library.path : "none";
}

const char *host_blas_origin(enum interface interface)
{
    return host_blas_is_bound(interface) ? bindings[interface].library.origin : "none";
}

static _Noreturn void stop_without_host(const char *name)
{
    log_message(LOG_ERROR, "no host BLAS found for %s: the program has loaded none and no default can be opened; "
                "set MUBLAS_HOST_BLAS to one", name);
    abort();
}

/* The bound library lacks it; the program may have another that does not, such as
 * the real BLAS behind a wrapper of a few routines. */
static host_function *resolve_elsewhere(enum symbol symbol)
{
    struct host_library library;
    const char *name = symbol_name(symbol);
    if (!host_search_program(name, &library)) {
        log_message(LOG_ERROR, "the host BLAS %s has no %s, which the program calls",
                    host_blas_path(symbol_interface(symbol)), name);
        abort();
    }
    host_search_retain(&library);
    host_function *function = host_search_function(&library, name);
    publish_function(symbol, function);
    return function;
}

host_function *host_blas_resolve(enum symbol symbol, const void *caller)
{
    struct host_library library;
    enum interface interface = symbol_interface(symbol);
    const char *name = symbol_name(symbol);
    (void)caller;
    if (!host_blas_is_bound(interface)) {
        if (!host_search_program(name, &library) &&
            !host_search(symbol_name(interface_sentinel(interface)), &library))
            stop_without_host(name);
        publish(interface, &library);
        host_function *function = host_search_function(&library, name);
        if (function)
            return function;
    }
    if (has(symbol))
        return __atomic_load_n(&host_functions[symbol], __ATOMIC_ACQUIRE);
    return resolve_elsewhere(symbol);
}

/* A size that is 3 in 32 bits and negative in 64: the second of three elements is the
 * largest, and of none there is none. */
static const int64_t telling_size = (int64_t)0xffffffff00000003;
static const float telling_elements[] = {1, 2, 1};

typedef int fortran_isamax(const int64_t *n, const float *x, const int64_t *incx);
typedef int cblas_isamax(int64_t n, const float *x, int64_t incx);

/* Counts from 1, 0: none. */
static int fortran_answer(host_function *isamax)
{
    static const int64_t one = 1;
    return ((fortran_isamax *)isamax)(&telling_size, telling_elements, &one);
}

/* Counts from 0, which is also none. */
static int cblas_answer(host_function *isamax)
{
    return ((cblas_isamax *)isamax)(telling_size, telling_elements, 1) + 1;
}

static enum integer_width ask_width(enum interface interface)
{
    bool fortran = interface == INTERFACE_NAME_;
    enum symbol symbol = fortran ? SYMBOL_isamax_ : SYMBOL_cblas_isamax;
    if (!has(symbol))
        return WIDTH_DETECTED;
    host_function *isamax = __atomic_load_n(&host_functions[symbol], __ATOMIC_ACQUIRE);
    int answer = fortran ? fortran_answer(isamax) : cblas_answer(isamax);
    return answer == 2 ? WIDTH_32 : WIDTH_64;
}

enum integer_width host_blas_width(enum interface interface)
{
    enum { IN_VAIN = -1 };
    atomic_int *known = &bindings[interface].width;
    if (interface_width(interface) != WIDTH_DETECTED)
        return interface_width(interface);
    if (*known == WIDTH_DETECTED) {
        enum integer_width width = ask_width(interface);
        *known = width == WIDTH_DETECTED ? IN_VAIN : (int)width;
    }
    return *known == IN_VAIN ? WIDTH_DETECTED : (enum integer_width)*known;
}

#include "interpose/host_blas.h"
#include "common/log.h"
#include "interpose/host_search.h"
#include "interpose/stats.h"

#include <stdatomic.h>
#include <stdlib.h>

/* thunks.S */
#define THUNKS(name)         \
    void count_##name(void); \
    void resolve_##name(void);
#define FORWARDED(name) THUNKS(name)
#define OFFLOADED(name, gate) THUNKS(name)
#include "interpose/routines.def"
#undef FORWARDED
#undef OFFLOADED

/* Both tables are filled before any constructor runs, since another library's may
 * call BLAS. Until binding settles whether calls are to be counted, they are. */
#define FORWARDED(name) resolve_##name,
#define OFFLOADED(name, gate) resolve_##name,
static host_function *const resolvers[ROUTINE_COUNT] = {
#include "interpose/routines.def"
};
host_function *host_functions[ROUTINE_COUNT] = {
#include "interpose/routines.def"
};
#undef FORWARDED
#undef OFFLOADED

#define FORWARDED(name) count_##name,
#define OFFLOADED(name, gate) count_##name,
static host_function *const counters[ROUTINE_COUNT] = {
#include "interpose/routines.def"
};
host_function *forward_slots[ROUTINE_COUNT] = {
#include "interpose/routines.def"
};
#undef FORWARDED
#undef OFFLOADED

#define FORWARDED(name) #name "_",
#define OFFLOADED(name, gate) #name "_",
static const char *const symbols[ROUTINE_COUNT] = {
#include "interpose/routines.def"
};
#undef FORWARDED
#undef OFFLOADED

/* Every BLAS worth binding has it; stands for all when none is asked for by name. */
#define SENTINEL "dgemm_"

enum { UNBOUND, BINDING, BOUND };
static atomic_int state = UNBOUND;
static struct host_library bound; /* once BOUND */

static bool is_bound(void)
{
    return atomic_load_explicit(&state, memory_order_acquire) == BOUND;
}

static void publish_function(unsigned routine, host_function *function)
{
    host_function *slot = stats_wanted() ? counters[routine] : function;
    __atomic_store_n(&host_functions[routine], function, __ATOMIC_RELEASE);
    __atomic_store_n(&forward_slots[routine], slot, __ATOMIC_RELEASE);
}

/* The first of several threads to get here decides; the others' calls are served
 * from what they found themselves. */
static void publish(const struct host_library *library)
{
    int expected = UNBOUND;
    if (!atomic_compare_exchange_strong(&state, &expected, BINDING))
        return;
    bound = *library;
    host_search_retain(library);
    for (unsigned i = 0; i < ROUTINE_COUNT; i++) {
        host_function *function = host_search_function(library, symbols[i]);
        if (function)
            publish_function(i, function);
    }
    atomic_store_explicit(&state, BOUND, memory_order_release);
}

__attribute__((constructor)) static void bind_at_load(void)
{
    struct host_library library;
    if (!is_bound() && host_search_next(SENTINEL, &library))
        publish(&library);
}

bool host_blas_bind(void)
{
    struct host_library library;
    if (is_bound())
        return true;
    if (!host_search(SENTINEL, &library))
        return false;
    publish(&library);
    return true;
}

bool host_blas_has(enum routine routine)
{
    return __atomic_load_n(&host_functions[routine], __ATOMIC_ACQUIRE) != resolvers[routine];
}

const char *host_blas_path(void)
{
    return is_bound() ? bound.path : "none";
}

const char *host_blas_origin(void)
{
    return is_bound() ? bound.origin : "none";
}

static _Noreturn void stop_without_host(const char *symbol)
{
    log_message(LOG_ERROR, "no host BLAS found for %s: the program has loaded none and no default can be opened; "
                "set MUBLAS_HOST_BLAS to one", symbol);
    abort();
}

/* The bound library lacks it; the program may have another that does not, such as
 * the real BLAS behind a wrapper of a few routines. */
static host_function *resolve_elsewhere(unsigned routine)
{
    struct host_library library;
    if (!host_search_program(symbols[routine], &library)) {
        log_message(LOG_ERROR, "the host BLAS %s has no %s, which the program calls", host_blas_path(),
                    symbols[routine]);
        abort();
    }
    host_search_retain(&library);
    host_function *function = host_search_function(&library, symbols[routine]);
    publish_function(routine, function);
    return function;
}

host_function *host_blas_resolve(unsigned routine)
{
    struct host_library library;
    if (!is_bound()) {
        if (!host_search_program(symbols[routine], &library) && !host_search(SENTINEL, &library))
            stop_without_host(symbols[routine]);
        publish(&library);
        host_function *function = host_search_function(&library, symbols[routine]);
        if (function)
            return function;
    }
    if (host_blas_has(routine))
        return __atomic_load_n(&host_functions[routine], __ATOMIC_ACQUIRE);
    return resolve_elsewhere(routine);
}

#include "scalapack/host_routine.h"
#include "common/log.h"
#include "common/program_state.h"
#include "host/callers.h"
#include "host/host_library.h"
#include "host/host_search.h"

#include <pthread.h>
#include <stdlib.h>

/* The routine of the search order, or of the last caller. */
struct known {
    host_function *function;
    uintptr_t start, end;
    const void *caller; /* whose own it is; NULL: everybody's */
};

static struct known known_routines[PARALLEL_COUNT], known_blacs[BLACS_COUNT]; /* guarded by lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool search(const char *name, const void *caller, struct host_library *library, bool *is_callers)
{
    *is_callers = false;
    if (host_library_next_in_order(name, library))
        return true;
    *is_callers = callers_search(name, caller, library);
    return *is_callers || host_search_program(name, library);
}

static struct known look_up(const char *name, const void *caller)
{
    struct host_library library;
    bool is_callers;
    if (!search(name, caller, &library, &is_callers)) {
        log_message(LOG_ERROR, "no library has %s, which the program calls", name);
        abort();
    }
    const struct known found = {host_library_function(&library, name), library.start, library.end,
                                is_callers ? caller : NULL};
    host_library_release(&library);
    return found;
}

static host_function *find(struct known *known, const char *name, const void *caller, bool *is_inner)
{
    pthread_mutex_lock(&lock);
    struct known found = *known;
    pthread_mutex_unlock(&lock);
    if (!found.function || (found.caller && found.caller != caller)) {
        struct program_state program;
        program_state_set_aside(&program);
        found = look_up(name, caller);
        program_state_return(&program);
        pthread_mutex_lock(&lock);
        *known = found;
        pthread_mutex_unlock(&lock);
    }
    if (is_inner)
        *is_inner = (uintptr_t)caller >= found.start && (uintptr_t)caller < found.end;
    return found.function;
}

host_function *host_routine_of(enum parallel_symbol symbol, const void *caller, bool *is_inner)
{
    static const char *const names[PARALLEL_COUNT] = {
#define PARALLEL_SYMBOL(name, ...) #name "_",
#include "scalapack/symbols.def"
    };
    return find(&known_routines[symbol], names[symbol], caller, is_inner);
}

host_function *host_blacs_of(enum blacs_symbol symbol, const void *caller, bool *is_inner)
{
    static const char *const names[BLACS_COUNT] = {
        "blacs_gridinit_", "Cblacs_gridinit", "blacs_gridmap_", "Cblacs_gridmap",
        "blacs_gridexit_", "Cblacs_gridexit", "blacs_exit_",    "Cblacs_exit"};
    return find(&known_blacs[symbol], names[symbol], caller, is_inner);
}

/* shared_hosts.h - the host BLAS libraries of callers that each have their own (callers.h).
 *
 * Known by numbers below HOSTS_MAX. Thread-safe; holds no lock while it looks symbols up. */
#ifndef MUBLAS_SHARED_HOSTS_H
#define MUBLAS_SHARED_HOSTS_H

#include "host/retained.h"
#include "host/thunks.h"

#include <stdatomic.h>

/* FILLED: by some thread just now. GONE: unloaded, and free for another. */
enum host_state { HOST_FILLED, HOST_PRESENT, HOST_GONE };

struct host {
    atomic_int state;
    struct host_library library;
    atomic_bool serves[INTERFACE_COUNT];    /* some caller by these names */
    atomic_int widths[INTERFACE_COUNT];     /* enum integer_width + 1 once known, 0 before */
    /* Of the DETECTED interfaces; NULL: others, and what it lacks. */
    host_function *functions[SYMBOL_COUNT];
};

struct host *shared_hosts_get(int number);

/* The number of the first that is loaded and serves anybody by names of this interface's kind, BLAS or
 * LAPACK; -1 if there is none. */
int shared_hosts_first(enum interface interface);

/* The number of the host for a library that was found, known or new, which serves callers by
 * this interface's names; libraries are told apart by the code that was found. -1: no memory.
 * It stays loaded but for what retained.h says: `forget` is to call shared_hosts_forget. */
int shared_hosts_enter(const struct host_library *library, enum interface interface, retained_forget *forget);

/* The library whose code begins there goes. Waits for nobody. */
void shared_hosts_forget(uintptr_t start);

/* Those that are loaded and serve anybody by this interface's names, from 0; NULL after the last. */
const struct host *shared_hosts_loaded(enum interface interface, int number);

/* The integer width of all hosts of this interface so far, WIDTH_DETECTED if they differ or do
 * not tell. Asks them where that is not known. */
enum integer_width shared_hosts_width(enum interface interface);

#endif

#include "gpu/exit_gate.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Nobody waits for longer at exit: a thread may have left a call by a jump. */
enum { WAIT_SECONDS = 5, STEP_NANOSECONDS = 100000 };

static atomic_int inside;
static atomic_bool closed;
static _Atomic pid_t process;
static __thread int inside_here __attribute__((tls_model("initial-exec")));

/* A handler that interrupted a call of this very thread, or a fork child whose parent's
 * threads are not here, would wait in vain. */
void exit_gate_close(void)
{
    const struct timespec step = {.tv_nsec = STEP_NANOSECONDS};
    atomic_store(&closed, true);
    for (long steps = WAIT_SECONDS * (1000000000L / STEP_NANOSECONDS); steps > 0; steps--) {
        if (atomic_load(&inside) == 0 || inside_here > 0 || getpid() != process)
            return;
        nanosleep(&step, NULL);
    }
}

void exit_gate_install(void)
{
    process = getpid();
    atexit(exit_gate_close);
}

bool exit_gate_enter(void)
{
    atomic_fetch_add(&inside, 1); /* before the look, so that close_gate sees one or we do */
    if (atomic_load(&closed)) {
        atomic_fetch_sub(&inside, 1);
        return false;
    }
    inside_here++;
    return true;
}

bool exit_gate_is_closed(void)
{
    return atomic_load(&closed);
}

void exit_gate_leave(void)
{
    inside_here--;
    atomic_fetch_sub(&inside, 1);
}

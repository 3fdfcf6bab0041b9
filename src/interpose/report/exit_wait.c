#include "interpose/report/exit_wait.h"
#include "common/clock.h"
#include "common/threads/pause.h"
#include "host/start_objects.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

/* The C library's, which has no header. Without a library's handle the handler runs after all that
 * were registered later. */
int __cxa_atexit(void (*handler)(void *), void *argument, void *library_handle);

/* Each takes one, and leaves another for the next; this many may do that in the same instant. */
enum { HANDLERS = 8 };

/* A destructor may wait in vain for a thread that waits here. */
static const uint64_t PATIENCE_NANOSECONDS = UINT64_C(10000000000);
static atomic_bool over;

/* Main's start registers all the destructors as one handler. This one was registered before that: so it runs
 * in a thread that finds the destructors taken by another, or done. */
static void wait_for_report(void *unused)
{
    const int saved_errno = errno;
    if (!atomic_load(&over)) {
        const uint64_t deadline = clock_nanoseconds() + PATIENCE_NANOSECONDS;
        __cxa_atexit(wait_for_report, unused, NULL);
        while (!atomic_load(&over) && clock_nanoseconds() < deadline)
            pause_a_step();
        atomic_store(&over, true);
    }
    errno = saved_errno;
}

void exit_wait_begin(void)
{
    for (int i = 0; i < HANDLERS && start_objects_have_own(); i++)
        __cxa_atexit(wait_for_report, NULL, NULL);
}

void exit_wait_over(void)
{
    atomic_store(&over, true);
}

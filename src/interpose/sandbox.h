/* sandbox.h - a program that is about to forbid itself system calls (seccomp).
 *
 * A filter kills who makes a call that is not on its list, and nobody can ask whether there is one without a system
 * call. But a program that sets one up says so first, by the C library's prctl: from then on its calls stay on the host,
 * which is bound before the filter is there. Who is refused, since he only asked whether the kernel knows filters, has
 * set none up. A filter that was inherited lets a program start, and so lets us. */
#ifndef MUBLAS_SANDBOX_H
#define MUBLAS_SANDBOX_H

#include <stdatomic.h>
#include <stdbool.h>

/* Announcements, but for those that the kernel refused. */
extern atomic_int sandbox_announcements;

/* May mublas make no system calls any more? Any thread; a load. */
static inline bool sandbox_is_near(void)
{
    return atomic_load_explicit(&sandbox_announcements, memory_order_relaxed) > 0;
}

#endif

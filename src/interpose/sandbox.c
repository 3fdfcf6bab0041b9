#define _GNU_SOURCE
#include "interpose/sandbox.h"
#include "host/host_blas.h"
#include "interpose/next_definition.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int prctl_function(int, ...);

static int plain_prctl(int option, ...)
{
    va_list arguments;
    unsigned long numbers[4];
    va_start(arguments, option);
    for (int i = 0; i < 4; i++)
        numbers[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    return (int)syscall(SYS_prctl, option, numbers[0], numbers[1], numbers[2], numbers[3]);
}

static prctl_function *next_prctl(void)
{
    static _Atomic(prctl_function *) known;
    if (!known) {
        const void *next = next_definition("prctl");
        known = next ? (prctl_function *)(uintptr_t)next : plain_prctl;
    }
    return known;
}

/* As in system_calls.c: not in a fork's child. */
__attribute__((constructor)) static void look_up_at_load(void)
{
    next_prctl();
}

/* Who has no privileges must first say that he wants none, which is said for no other reason. */
static bool announces_filter(int option)
{
    return option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS;
}

static void notice(void)
{
    const int saved_errno = errno;
    if (!sandbox_is_near())
        host_blas_bind_now();
    atomic_fetch_add(&sandbox_announcements, 1);
    errno = saved_errno;
}

/* All of its arguments that may be there: what a caller left out is anything, as in the C library's. */
__attribute__((visibility("default"))) int prctl(int option, ...)
{
    va_list arguments;
    unsigned long numbers[4];
    va_start(arguments, option);
    for (int i = 0; i < 4; i++)
        numbers[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    const bool announces = announces_filter(option);
    if (announces)
        notice();
    const int result = next_prctl()(option, numbers[0], numbers[1], numbers[2], numbers[3]);
    if (announces && result < 0)
        atomic_fetch_sub(&sandbox_announcements, 1);
    return result;
}

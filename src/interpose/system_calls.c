/* The C library's functions for two system calls that the registration of memory makes fail: mremap over a mapping of
 * which a part is registered, and a userfaultfd of the program's own on such memory. Here they do what they would
 * without mublas. Until a device is in use, and for any other ioctl, each is a call of the next definition: that of
 * another preloaded library, or the C library's.
 *
 * These names and that of sandbox.c are the only ones that are not BLAS or mublas' own. A program that makes the
 * system calls itself is told what the kernel says. */
#define _GNU_SOURCE
#include "interpose/next_definition.h"
#include "interpose/offload.h"
#include "interpose/process_state.h"
#include "interpose/waking.h"
#include "mirror/host_memory/split_move.h"
#include "mirror/mirror_table.h"

#include <errno.h>
#include <linux/userfaultfd.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

#define EXPORTED __attribute__((visibility("default")))

typedef int ioctl_function(int, unsigned long, ...);
typedef void *mremap_function(void *, size_t, size_t, int, ...);

static int plain_ioctl(int descriptor, unsigned long request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    const unsigned long argument = va_arg(arguments, unsigned long);
    va_end(arguments);
    return (int)syscall(SYS_ioctl, descriptor, request, argument);
}

static void *plain_mremap(void *old, size_t old_bytes, size_t new_bytes, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *new_address = va_arg(arguments, void *);
    va_end(arguments);
    return (void *)syscall(SYS_mremap, old, old_bytes, new_bytes, flags, new_address);
}

static ioctl_function *next_ioctl(void)
{
    static _Atomic(ioctl_function *) known;
    if (!known) {
        const void *next = next_definition("ioctl");
        known = next ? (ioctl_function *)(uintptr_t)next : plain_ioctl;
    }
    return known;
}

static mremap_function *next_mremap(void)
{
    static _Atomic(mremap_function *) known;
    if (!known) {
        const void *next = next_definition("mremap");
        known = next ? (mremap_function *)(uintptr_t)next : plain_mremap;
    }
    return known;
}

/* Not at the first call, which may be one of a fork's child: the loader's lock, which the look-up takes, stays held there
 * for good where another thread had it. */
__attribute__((constructor)) static void look_up_at_load(void)
{
    next_ioctl();
    next_mremap();
}

/* In a handler of a signal that came inside mublas, and in a fork child, locks may be held for good. */
static bool give_up(const struct uffdio_register *request)
{
    struct mirror_table *table = waking_mirrors_in_use();
    if (!table || offload_is_inside() || process_state_is_forked())
        return false;
    return mirror_table_give_up_registrations(table, (uintptr_t)request->range.start,
                                              (uintptr_t)(request->range.start + request->range.len));
}

EXPORTED int ioctl(int descriptor, unsigned long request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    const int saved_errno = errno;
    int result = next_ioctl()(descriptor, request, argument);
    if (result == 0 || request != UFFDIO_REGISTER || errno != EBUSY)
        return result;
    if (give_up(argument))
        result = next_ioctl()(descriptor, request, argument);
    else
        errno = EBUSY;
    if (result == 0)
        errno = saved_errno;
    return result;
}

EXPORTED void *mremap(void *old, size_t old_bytes, size_t new_bytes, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *new_address = flags & (MREMAP_FIXED | MREMAP_DONTUNMAP) ? va_arg(arguments, void *) : NULL;
    va_end(arguments);
    if (waking_mirrors_in_use() && split_move_is_due(old, old_bytes, new_bytes, flags, new_address))
        return split_move(old, old_bytes, new_bytes, flags, new_address);
    return next_mremap()(old, old_bytes, new_bytes, flags, new_address);
}

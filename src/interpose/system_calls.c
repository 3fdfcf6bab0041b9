/* The C library's functions for two system calls that the registration of memory makes fail: mremap over a mapping of
 * which a part is registered, and a userfaultfd of the program's own on such memory. Here they do what they would
 * without mublas. Until a device is in use, and for any other ioctl, each is a call of the next definition: that of
 * another preloaded library, or the C library's.
 *
 * These two names are the only ones that are not BLAS or mublas' own. A program that makes the system calls itself
 * is told what the kernel says. */
#define _GNU_SOURCE
#include "common/object_symbols.h"
#include "interpose/host_search.h"
#include "interpose/offload.h"
#include "interpose/process_state.h"
#include "interpose/waking.h"
#include "mirror/registration.h"
#include "mirror/split_move.h"

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

struct search {
    const char *name;
    const void *found;
    bool passed; /* this library */
};

/* The loader shows what the program was started with in its search order. What stands before this library never comes
 * to it, unless it came by dlopen: then nothing behind it counts. */
static int look_in(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    struct object_symbols object;
    const void *address, *marker;
    uintptr_t start, end;
    (void)size;
    object_symbols_read(info, &object);
    if (object_symbols_segment(&object, (uintptr_t)look_in, &start, &end))
        search->passed = true;
    else if (object_symbols_find(&object, search->name, &address) &&
             !(search->passed && object_symbols_find(&object, HOST_SEARCH_MARKER, &marker))) { /* another of mublas */
        search->found = search->passed ? address : NULL;
        return 1;
    }
    return 0;
}

/* Not by dlsym: a library's constructor may be waiting, with the loader's lock, for the thread that
 * comes here first. */
static const void *find_next(const char *name)
{
    struct search search = {name, NULL, false};
    const int saved_errno = errno;
    dl_iterate_phdr(look_in, &search);
    errno = saved_errno;
    return search.found;
}

static ioctl_function *next_ioctl(void)
{
    static _Atomic(ioctl_function *) known;
    if (!known) {
        const void *next = find_next("ioctl");
        known = next ? (ioctl_function *)(uintptr_t)next : plain_ioctl;
    }
    return known;
}

static mremap_function *next_mremap(void)
{
    static _Atomic(mremap_function *) known;
    if (!known) {
        const void *next = find_next("mremap");
        known = next ? (mremap_function *)(uintptr_t)next : plain_mremap;
    }
    return known;
}

/* In a handler of a signal that came inside mublas, and in a fork child, locks may be held for good. */
static bool give_up(const struct uffdio_register *request)
{
    struct mirror_table *table = waking_mirrors_in_use();
    if (!table || offload_is_inside() || process_state_is_forked())
        return false;
    return registration_give_up(table, (uintptr_t)request->range.start,
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

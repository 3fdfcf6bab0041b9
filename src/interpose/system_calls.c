#define _GNU_SOURCE
#include "common/interruption.h"
#include "common/loader.h"
#include "common/own_thread.h"
#include "host/host_blas.h"
#include "host/host_search.h"
#include "interpose/call/program_call.h"
#include "interpose/lapack/call.h"
#include "interpose/process_state.h"
#include "interpose/purchase/purchase.h"
#include "interpose/report/report_file.h"
#include "interpose/report/stats.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/mirror_table.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/userfaultfd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct search {
    const char *name;
    const void *found;
    bool passed; /* this library */
};

/* The loader shows what the program was started with in its search order. Calls to an object before this
 * library never come to it, unless it came by dlopen: then nothing behind it counts. */
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
             /* another of mublas: */
             !(search->passed && object_symbols_find(&object, HOST_LIBRARY_MARKER, &marker))) {
        search->found = search->passed ? address : NULL;
        return 1;
    }
    return 0;
}

/* The function that a program would get without mublas: the address behind this library in the program's
 * search order, another preloaded library's, or the C library's. NULL: there is none, or mublas came by
 * dlopen. Allocates nothing; errno stays. Not by dlsym: a library's constructor may be waiting, with the
 * loader's lock, for the thread that comes here first. */
static const void *next_definition(const char *name)
{
    struct search search = {name, NULL, false};
    const int saved_errno = errno;
    loader_objects(look_in, &search);
    errno = saved_errno;
    return search.found;
}

/* The C library's jumps, which mublas stands before as it does before the system calls below: a handler that
 * leaves a call by one gives the thread back what is the program's, at once, for the thread may make no
 * further call. A thread that jumps in another way (setcontext, assembly) is found out at its next call
 * (call/door.c). */
#define EXPORTED __attribute__((visibility("default")))

/* Not those of <setjmp.h>, which gives them each other's names. */
typedef __attribute__((noreturn)) void (*jump_function)(void *environment, int value);
#define DECLARE(name) EXPORTED __attribute__((noreturn)) void name(void *environment, int value)
DECLARE(longjmp);
DECLARE(_longjmp);
DECLARE(siglongjmp);
DECLARE(__longjmp_chk);

/* A function of its own: who jumps leaves no variables behind, which AddressSanitizer would guard for good. */
static __attribute__((noinline)) void leave(const void *environment, const void *here)
{
    const struct jump jump = {environment, here};
    job_helpers_leave(&jump);
    door_leave_by_jump(&jump);
    call_spans_leave(&jump);
    write_signals_leave(&jump);
    cancellation_leave(&jump);
}

/* Behind this library, as a rule. */
static jump_function find_jump_function(const char *name)
{
    const void *next = next_definition(name);
    return (jump_function)(uintptr_t)(next ? next : dlsym(RTLD_NEXT, name));
}

#define JUMP(name)                                                                      \
    static jump_function next_##name(void)                                             \
    {                                                                                   \
        static _Atomic(jump_function) known;                                           \
        if (!known)                                                                     \
            known = find_jump_function(#name);                                          \
        return known;                                                                   \
    }                                                                                   \
    void name(void *environment, int value)                                             \
    {                                                                                   \
        leave(environment, FRAME_HERE());                                 \
        next_##name()(environment, value);                                              \
    }
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)

/* Not in a handler. */
__attribute__((constructor)) static void look_up_jumps_at_load(void)
{
    next_longjmp();
    next__longjmp();
    next_siglongjmp();
    next___longjmp_chk();
}

/* System calls of the C library that mublas stands before. With the jumps these are the only names that are
 * not BLAS or mublas' own. Each is a call of the next definition: that of another preloaded library, or the C
 * library's. A program that makes the system calls itself is told what the kernel says.
 *
 * ioctl and mremap: the registration of memory makes two system calls fail, mremap over a mapping of which
 * a part is registered, and a userfaultfd of the program's own on such memory. Here they do what they
 * would without mublas. prctl: a program that is about to forbid itself system calls (process_state.h)
 * binds the host before the filter is there, and its calls stay on the host. */
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

typedef int ioctl_function(int, unsigned long, ...);
typedef void *mremap_function(void *, size_t, size_t, int, ...);
typedef int prctl_function(int, ...);

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

#define NEXT_DEFINITION(name)                                                            \
    static name##_function *next_##name(void)                                            \
    {                                                                                    \
        static _Atomic(name##_function *) known;                                         \
        if (!known) {                                                                    \
            const void *next = next_definition(#name);                                   \
            known = next ? (name##_function *)(uintptr_t)next : plain_##name;            \
        }                                                                                \
        return known;                                                                    \
    }
NEXT_DEFINITION(ioctl)
NEXT_DEFINITION(mremap)
NEXT_DEFINITION(prctl)

/* Not at the first call, which may be one of a fork's child: the loader's lock, which the look-up takes,
 * stays held there for good where another thread had it. */
__attribute__((constructor)) static void look_up_at_load(void)
{
    next_ioctl();
    next_mremap();
    next_prctl();
}

/* In a handler of a signal that came inside mublas, and in a fork child, locks may be held for good. */
static bool give_up(const struct uffdio_register *request)
{
    const struct device_use *const use = device_use_first();
    if (!use || door_is_inside() || process_state_is_forked())
        return false;
    return mirror_table_give_up_registrations(use->mirrors, (uintptr_t)request->range.start,
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
    if (device_use_first() && split_move_is_due(old, old_bytes, new_bytes, flags, new_address))
        return split_move(old, old_bytes, new_bytes, flags, new_address);
    return next_mremap()(old, old_bytes, new_bytes, flags, new_address);
}

/* A process without privileges must first say that it wants none, which is said for no other reason. */
static bool announces_filter(int option)
{
    return option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS;
}

/* The host is bound for who has the memory alone: its constructors may start threads, which would be a vfork
 * child's, and gone with it. */
static void notice(void)
{
    const int saved_errno = errno;
    if (process_state_owns_memory()) {
        if (!process_state_is_filtered())
            host_blas_bind_now();
        held_signals_allow(false);
    }
    process_state_announce_filter();
    errno = saved_errno;
}

static void take_back(void)
{
    const int saved_errno = errno;
    process_state_withdraw_filter();
    if (process_state_owns_memory())
        held_signals_allow(!process_state_is_filtered());
    errno = saved_errno;
}

/* A caller that is refused, since it only asked whether the kernel knows filters, has set none up. All of its
 * arguments that may be there: what a caller left out is anything, as in the C library's. */
EXPORTED int prctl(int option, ...)
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
        take_back();
    return result;
}

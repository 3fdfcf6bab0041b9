/* The C library's jumps, which mublas stands before as it does before system calls (system_calls.c): a handler
 * that leaves a call by one gives the thread back what is the program's, at once, for the thread may make no
 * further call. Who jumps in another way (setcontext, assembly) is found out at his next call (offload.c). */
#include "common/threads/cancellation.h"
#include "common/threads/job_helpers.h"
#include "common/threads/jump.h"
#include "interpose/lapack/host_run.h"
#include "interpose/next_definition.h"
#include "interpose/offload.h"
#include "interpose/report/call_spans.h"
#include "interpose/report/write_signals.h"

#include <dlfcn.h>
#include <stdint.h>

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
    offload_leave_by_jump(&jump);
    host_run_leave(&jump);
    call_spans_leave(&jump);
    write_signals_leave(&jump);
    cancellation_leave(&jump);
}

/* Behind this library, as a rule. */
static jump_function find(const char *name)
{
    const void *next = next_definition(name);
    return (jump_function)(uintptr_t)(next ? next : dlsym(RTLD_NEXT, name));
}

#define JUMP(name)                                                                      \
    static jump_function next_##name(void)                                             \
    {                                                                                   \
        static _Atomic(jump_function) known;                                           \
        if (!known)                                                                     \
            known = find(#name);                                                        \
        return known;                                                                   \
    }                                                                                   \
    void name(void *environment, int value)                                             \
    {                                                                                   \
        leave(environment, __builtin_frame_address(0));                                 \
        next_##name()(environment, value);                                              \
    }
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)

/* Not in a handler. */
__attribute__((constructor)) static void look_up_at_load(void)
{
    next_longjmp();
    next__longjmp();
    next_siglongjmp();
    next___longjmp_chk();
}

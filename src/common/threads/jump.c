#include "common/threads/jump.h"

#include "common/threads/held_signals.h"

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

static bool is_in(const void *address, const stack_t *stack)
{
    const uintptr_t begin = (uintptr_t)stack->ss_sp;
    return (uintptr_t)address >= begin && (uintptr_t)address < begin + stack->ss_size;
}

#if defined __x86_64__ && defined __GLIBC__
/* The GNU C library notes it as the seventh word, mixed with a number that each thread has a copy of
 * (sysdeps/unix/sysv/linux/x86_64/pointer_guard.h). */
static uintptr_t noted_stack_pointer(const void *environment)
{
    enum { WORD = 6, TURNED = 17 };
    uintptr_t noted, guard;
    memcpy(&noted, (const char *)environment + WORD * sizeof noted, sizeof noted);
    __asm__("movq %%fs:0x30, %0" : "=r"(guard));
    return (noted >> TURNED | noted << (64 - TURNED)) ^ guard;
}
#else
static uintptr_t noted_stack_pointer(const void *environment)
{
    (void)environment;
    return 0;
}
#endif

/* Whether that is so here: of a target in this very frame. */
static __attribute__((noinline)) bool try_noted(void)
{
    enum { NEAR = 16384 };
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    jmp_buf own;
    if (_setjmp(own) != 0)
        return false;
    const uintptr_t noted = noted_stack_pointer(own);
    return noted <= frame && frame - noted < NEAR;
}

static bool is_noted(void)
{
    enum { UNKNOWN, NOTED, OTHERWISE };
    static atomic_int state;
    if (atomic_load_explicit(&state, memory_order_relaxed) == UNKNOWN)
        atomic_store(&state, try_noted() ? NOTED : OTHERWISE);
    return atomic_load(&state) == NOTED;
}

static const char *target_of(const struct jump *jump)
{
    return is_noted() ? (const char *)noted_stack_pointer(jump->environment) : jump->environment;
}

bool jump_leaves(const struct jump *jump, const void *frame)
{
    const char *const target = target_of(jump);
    stack_t stack;
    if (held_signals_are_allowed() && sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) &&
        !is_in(frame, &stack))
        return !is_in(target, &stack);
    return target < (const char *)jump->here || target >= (const char *)frame;
}

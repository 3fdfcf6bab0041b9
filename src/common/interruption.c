#include "common/interruption.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static atomic_bool is_forbidden;

static void choose_held(sigset_t *signals)
{
    static const int raised_by_code[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigfillset(signals);
    for (size_t i = 0; i < sizeof raised_by_code / sizeof *raised_by_code; i++)
        sigdelset(signals, raised_by_code[i]);
}

static bool held_signals_are_allowed(void)
{
    return !atomic_load_explicit(&is_forbidden, memory_order_relaxed);
}

void held_signals_hold(struct held_signals *signals)
{
    sigset_t held;
    signals->is_held = held_signals_are_allowed();
    if (!signals->is_held)
        return;
    choose_held(&held);
    pthread_sigmask(SIG_BLOCK, &held, &signals->before);
}

void held_signals_return(const struct held_signals *signals)
{
    if (signals->is_held)
        pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
}

void held_signals_only(void)
{
    sigset_t held;
    choose_held(&held);
    pthread_sigmask(SIG_SETMASK, &held, NULL);
}

void held_signals_allow(bool allowed)
{
    atomic_store(&is_forbidden, !allowed);
}

/* This thread is about to do that once; the winner takes it. */
static __thread void (*once_work)(void) __attribute__((tls_model("initial-exec")));

static void do_held(void)
{
    struct held_signals signals;
    void (*const work)(void) = once_work;
    held_signals_hold(&signals);
    work();
    held_signals_return(&signals);
}

void once_do(struct once *once, void (*work)(void))
{
    void (*const outer)(void) = once_work;
    once_work = work;
    pthread_once(&once->control, do_held);
    once_work = outer;
    atomic_store_explicit(&once->is_done, true, memory_order_release);
}

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
#elif defined __aarch64__ && defined __GLIBC__
enum { NOTED_WORD = 13 }; /* sysdeps/aarch64/jmpbuf-offsets.h: mixed with a number that the process has */

/* Far from who asks: a word that is no stack pointer seems to be one there only (try_noted). */
static __attribute__((noinline)) uintptr_t find_guard(void)
{
    volatile char far_from_others[4 * 16384];
    uintptr_t noted, pointer;
    jmp_buf own;
    far_from_others[0] = 0;
    (void)far_from_others[0];
    if (_setjmp(own) != 0)
        return 0;
    __asm__ volatile("mov %0, sp" : "=r"(pointer));
    memcpy(&noted, (const char *)own + NOTED_WORD * sizeof noted, sizeof noted);
    return noted ^ pointer;
}

static uintptr_t noted_stack_pointer(const void *environment)
{
    static _Atomic uintptr_t guard;
    uintptr_t noted;
    if (!guard)
        guard = find_guard();
    memcpy(&noted, (const char *)environment + NOTED_WORD * sizeof noted, sizeof noted);
    return noted ^ guard;
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
    const uintptr_t frame = (uintptr_t)FRAME_HERE();
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

/* Volatile, for handlers see it half way. */
static __thread volatile struct {
    int holds;
    int programs, programs_type; /* state and type; NOT_CHANGED as long as the thread has its own */
    const void *frame;           /* of the outermost */
} held __attribute__((tls_model("initial-exec")));

enum { NOT_CHANGED = -1 };

/* A handler may jump out from any place: the hold is noted before anything is changed, and what was there is
 * noted by the C library before it changes that. */
void cancellation_hold(void)
{
    if (held.holds == 0) {
        held.frame = FRAME_HERE();
        held.programs = held.programs_type = NOT_CHANGED;
        held.holds = 1;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, (int *)&held.programs);
        pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, (int *)&held.programs_type);
        return;
    }
    held.holds = held.holds + 1;
}

/* Once or twice. The state first: only a change of the type ends a cancelled thread with PTHREAD_CANCELED. */
static void give_back(void)
{
    if (held.programs != NOT_CHANGED)
        pthread_setcancelstate(held.programs, NULL);
    if (held.programs_type != NOT_CHANGED && held.programs_type != PTHREAD_CANCEL_DEFERRED)
        pthread_setcanceltype(held.programs_type, NULL);
}

/* None are left where what was taken for a jump out of this call was none. */
void cancellation_return(void)
{
    if (held.holds == 0)
        return;
    if (held.holds == 1)
        give_back();
    held.holds = held.holds - 1;
}

/* While the C library waits in a system call, it has the type asynchronous, and a jump out of there leaves it so. */
void cancellation_forget(void)
{
    if (held.holds == 0)
        return;
    if (held.programs_type != NOT_CHANGED)
        pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    give_back();
    held.holds = 0;
}

void cancellation_leave(const struct jump *jump)
{
    if (held.holds > 0 && jump_leaves(jump, held.frame))
        cancellation_forget();
}

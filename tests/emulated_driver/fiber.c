#include "emulated_driver/fiber.h"
#include "emulated_driver/internal.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
enum { STACK_BYTES = 256 << 10 };
#else
enum { STACK_BYTES = 64 << 10 };
#endif

void emulated_switch(void **save, void *to);
void emulated_fiber_start(void);

#if defined(__x86_64__)
enum { FRAME_WORDS = 9, FRAME_ARGUMENT = 3, FRAME_FUNCTION = 2, FRAME_RETURN = 6 };
#else
enum { FRAME_WORDS = 20, FRAME_ARGUMENT = 0, FRAME_FUNCTION = 1, FRAME_RETURN = 11 };
#endif

/* Stacks without a page that faults are neighbours in one mapping; huge pages of it would be wasted. */
static unsigned char *make_stack(size_t bytes, bool is_guarded)
{
    unsigned char *stack =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || (is_guarded && mprotect(stack, PAGE, PROT_NONE) != 0))
        emulated_abort("making a fiber: %s", strerror(errno));
    if (!is_guarded)
        madvise(stack, bytes, MADV_NOHUGEPAGE);
    return stack;
}

void fiber_create(struct fiber *fiber, unsigned number, bool many, void (*function)(void *), void *argument)
{
    size_t bytes = STACK_BYTES + PAGE;
    unsigned char *stack = make_stack(bytes, !many || number % 16 == 0);
    uintptr_t top = (uintptr_t)stack + bytes - number % 16 * 256;
    uintptr_t *frame = (uintptr_t *)top - FRAME_WORDS;
    frame[FRAME_ARGUMENT] = (uintptr_t)argument;
    frame[FRAME_FUNCTION] = (uintptr_t)function;
    frame[FRAME_RETURN] = (uintptr_t)emulated_fiber_start;
    *fiber = (struct fiber){.stack_pointer = frame, .stack = stack, .stack_bytes = bytes};
#if defined(__SANITIZE_THREAD__)
    fiber->tsan_fiber = __tsan_create_fiber(0);
#endif
}

void fiber_adopt_thread(struct fiber *adopted)
{
    memset(adopted, 0, sizeof *adopted);
#if defined(__SANITIZE_THREAD__)
    adopted->tsan_fiber = __tsan_get_current_fiber();
#endif
#if defined(__SANITIZE_ADDRESS__)
    static _Thread_local void *stack; /* asking is slow */
    static _Thread_local size_t bytes;
    pthread_attr_t attributes;
    if (!stack) {
        if (pthread_getattr_np(pthread_self(), &attributes) != 0)
            emulated_abort("the thread's stack is unknown");
        pthread_attr_getstack(&attributes, &stack, &bytes);
        pthread_attr_destroy(&attributes);
    }
    adopted->stack = stack;
    adopted->stack_bytes = bytes;
#endif
}

void fiber_entered(struct fiber *from)
{
    (void)from;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
#endif
}

#if defined(__SANITIZE_THREAD__)
__attribute__((no_sanitize("thread")))
#endif
void fiber_switch(struct fiber *from, struct fiber *to)
{
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(to->tsan_fiber, __tsan_switch_to_fiber_no_sync);
#endif
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
#endif
    emulated_switch(&from->stack_pointer, to->stack_pointer);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#endif
}

bool fibers_are_watched(void)
{
#if defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
}

void fiber_release(void *token)
{
    (void)token;
#if defined(__SANITIZE_THREAD__)
    __tsan_release(token);
#endif
}

void fiber_acquire(void *token)
{
    (void)token;
#if defined(__SANITIZE_THREAD__)
    __tsan_acquire(token);
#endif
}

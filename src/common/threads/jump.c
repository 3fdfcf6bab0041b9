#include "common/threads/jump.h"

#include <signal.h>
#include <stdint.h>

static bool is_in(const void *address, const stack_t *stack)
{
    const uintptr_t begin = (uintptr_t)stack->ss_sp;
    return (uintptr_t)address >= begin && (uintptr_t)address < begin + stack->ss_size;
}

bool jump_leaves(const struct jump *jump, const void *frame)
{
    const char *const environment = jump->environment;
    stack_t stack;
    if (sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) && !is_in(frame, &stack))
        return !is_in(environment, &stack);
    return environment < (const char *)jump->here || environment >= (const char *)frame;
}

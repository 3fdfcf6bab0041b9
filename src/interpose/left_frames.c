#include "interpose/left_frames.h"

#include "interpose/process_state.h"
#include "mirror/host_memory/mapping.h"

#include <signal.h>
#include <stdint.h>

/* The stack that this thread was last seen on. Where another is mapped there since, it is taken for the same:
 * who asks loses by that no more than time. */
static __thread uintptr_t stack_begin __attribute__((tls_model("initial-exec")));
static __thread uintptr_t stack_end __attribute__((tls_model("initial-exec")));

static bool find_stack(uintptr_t here)
{
    struct mapping stack;
    if (here >= stack_begin && here < stack_end)
        return true;
    if (process_state_is_filtered() || mapping_find(here, &stack) != STATUS_OK)
        return false;
    stack_begin = stack.begin;
    stack_end = stack.end;
    return true;
}

static bool is_in_handler(void)
{
    stack_t stack;
    return sigaltstack(NULL, &stack) != 0 || (stack.ss_flags & SS_ONSTACK);
}

enum frame_state left_frames_look(const void *frame, const void *here)
{
    const uintptr_t address = (uintptr_t)frame;
    struct mapping gone;
    if (!find_stack((uintptr_t)here) || (address >= stack_begin && address < stack_end))
        return address <= (uintptr_t)here ? FRAME_LEFT : FRAME_INSIDE;
    if (is_in_handler())
        return FRAME_INSIDE;
    return mapping_find(address, &gone) == STATUS_OK ? FRAME_ELSEWHERE : FRAME_LEFT;
}

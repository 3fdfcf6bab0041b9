#include "common/threads/cancellation.h"

#include "common/threads/jump.h"

#include <pthread.h>
#include <stddef.h>

/* Volatile, for handlers see it half way. */
static __thread volatile struct {
    int holds;
    int programs;      /* state */
    const void *frame; /* of the outermost */
} held __attribute__((tls_model("initial-exec")));

void cancellation_hold(void)
{
    int before;
    if (held.holds == 0) {
        held.frame = __builtin_frame_address(0);
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
        held.programs = before;
    }
    held.holds = held.holds + 1;
}

/* None are left where what was taken for a jump out of this call was none. */
void cancellation_return(void)
{
    if (held.holds == 0)
        return;
    held.holds = held.holds - 1;
    if (held.holds == 0)
        pthread_setcancelstate(held.programs, NULL);
}

void cancellation_forget(void)
{
    if (held.holds == 0)
        return;
    held.holds = 0;
    pthread_setcancelstate(held.programs, NULL);
}

void cancellation_leave(const struct jump *jump)
{
    if (held.holds > 0 && jump_leaves(jump, held.frame))
        cancellation_forget();
}

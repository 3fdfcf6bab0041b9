#include "common/threads/cancellation.h"

#include "common/threads/jump.h"

#include <pthread.h>
#include <stddef.h>

/* Volatile, for handlers see it half way. */
static __thread volatile struct {
    int holds;
    int programs;      /* state */
    int programs_type;
    const void *frame; /* of the outermost */
} held __attribute__((tls_model("initial-exec")));

void cancellation_hold(void)
{
    int before, type;
    if (held.holds == 0) {
        held.frame = __builtin_frame_address(0);
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
        pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
        held.programs = before;
        held.programs_type = type;
    }
    held.holds = held.holds + 1;
}

/* The state first: only a change of the type ends a cancelled thread with PTHREAD_CANCELED. */
static void give_back(void)
{
    pthread_setcancelstate(held.programs, NULL);
    if (held.programs_type != PTHREAD_CANCEL_DEFERRED)
        pthread_setcanceltype(held.programs_type, NULL);
}

/* None are left where what was taken for a jump out of this call was none. */
void cancellation_return(void)
{
    if (held.holds == 0)
        return;
    held.holds = held.holds - 1;
    if (held.holds == 0)
        give_back();
}

/* While the C library waits in a system call, it has the type asynchronous, and a jump out of there leaves it so. */
void cancellation_forget(void)
{
    if (held.holds == 0)
        return;
    held.holds = 0;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    give_back();
}

void cancellation_leave(const struct jump *jump)
{
    if (held.holds > 0 && jump_leaves(jump, held.frame))
        cancellation_forget();
}

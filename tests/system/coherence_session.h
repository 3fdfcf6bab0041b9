/* coherence_session.h - steps of one thread: change memory at random, make a random call, compare. */
#ifndef MUBLAS_TESTS_COHERENCE_SESSION_H
#define MUBLAS_TESTS_COHERENCE_SESSION_H

#include "coherence_call.h"

/* How wrong a result may be, in units of eps times the bound. */
static const double gauge_most = 16;

struct session {
    struct random random;
    uint64_t seed;
    long steps;      /* at most */
    double seconds;  /* at most, when not 0 */
    int order;
    struct window
        *windows; /* of double elements, then as many of float; those of whole arenas may be upset */
    int windows_per_type;
    unsigned upset_percent;
    int rewrites;     /* steps for which one matrix, of the type below, is rewritten before each call */
    int rewritten_type;
    bool in_turn;     /* routines and types one after the other, where steps are few */
    long begin_step;  /* when the program begins to use CUDA, for `device_uses` (coherence_device.h) */
    int device_uses;
    unsigned long calls[FAMILIES][TYPES];
    double worst[FAMILIES][TYPES];
    unsigned long failures, overwritten;
};

/* Take the steps, as a thread's main function. */
void *session_run(void *session);

#endif

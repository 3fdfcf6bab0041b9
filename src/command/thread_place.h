/* thread_place.h - on which processor the calling thread runs.
 *
 * What one thread does alone takes up to 1.7 times as long on one virtual processor as on another, by what
 * else runs on the core behind it, which the system does not tell and which stays so for tens of
 * milliseconds or for many seconds (doc/tuner.md, "One thread alone"). Programs run on any of them; a thread
 * that is kept busy hardly ever leaves its own. Whoever times calls for others must move. */
#ifndef MUBLAS_THREAD_PLACE_H
#define MUBLAS_THREAD_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { THREADS_PLACED = 1024 /* with more the thread stays where it is */ };

/* Kept between changes; all zero at first, but for the state of the random numbers. */
struct thread_places {
    uint64_t seed;
    int count; /* other threads of the process, where they were seen last */
    struct {
        pid_t thread;
        int processor;
    } threads[THREADS_PLACED];
};

/* Go on on a random one of the other processors that the thread may use. A thread of this process that is
 * running there, as those of a host BLAS do that wait for work, takes the place that becomes free: two on one
 * processor would be in each other's way for as long as the system leaves them there, tens of milliseconds. (One
 * that goes there meanwhile is not noticed; of several there one makes room.) What threads may use stays as it
 * was. False: it stays where it is, since it may use no other, the thread there must not take its place, not all
 * threads can be seen, or the system forbids it; or one of the two was moved and not the other. Always by one
 * thread. */
bool thread_place_change(struct thread_places *places);

#endif

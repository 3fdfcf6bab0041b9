/* patience.h - how long one call may wait for others.
 *
 * A call that would wait longer on the way to the device than the host takes for it runs on the host. All of its
 * waits together have one deadline, set at the first of them: a call that need not wait reads no clock. Belongs
 * to one thread. Without patience (NULL) a call waits for ever. */
#ifndef MUBLAS_PATIENCE_H
#define MUBLAS_PATIENCE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct patience {
    double most_us;
    uint64_t deadline; /* of the monotonic clock, in nanoseconds; 0: has not waited yet */
};

/* INFINITY: for ever. */
struct patience patience_of_us(double most_us);

/* A condition for patience_wait. */
void patience_condition_create(pthread_cond_t *condition);

/* Wait for a condition, whose lock is held. False: patience is at an end. May return true for nothing. */
bool patience_wait(struct patience *patience, pthread_cond_t *condition, pthread_mutex_t *lock);

#endif

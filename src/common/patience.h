/* patience.h - how long one call may wait for others.
 *
 * A call that would wait longer for the device than the host takes for it runs on the host. One deadline, set
 * at the first wait, holds for all waits of a call: a call that need not wait reads no clock. Belongs to one
 * thread. Without patience (NULL) a call waits for ever. */
#ifndef MUBLAS_PATIENCE_H
#define MUBLAS_PATIENCE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct patience {
    double most_us;
    uint64_t deadline; /* nanoseconds of the monotonic clock; 0: has not waited yet */
};

/* INFINITY: for ever. */
struct patience patience_of_us(double most_us);

/* A condition for patience_wait. */
void patience_condition_create(pthread_cond_t *condition);

/* Waits for a condition, whose lock the caller holds. False: the deadline has passed. May return true without
 * reason. */
bool patience_wait(struct patience *patience, pthread_cond_t *condition, pthread_mutex_t *lock);

#endif

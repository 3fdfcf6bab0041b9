/* stream_watch.h - waits for a stream that sleep, and that end.
 *
 * Kernels whose blocks wait for each other (cooperative.h) never end if a block does not arrive: one that is
 * not given room, or that another error has stopped. Who queues such a kernel waits for it until a deadline.
 * Past that the abort word is set, at which all waiting blocks leave. The word is in pinned memory, which
 * kernels read where it is: the host's write needs no driver call, and queues behind nothing.
 *
 * Belongs to one thread at a time, as its stream does. Inside device_enter. */
#ifndef MUBLAS_STREAM_WATCH_H
#define MUBLAS_STREAM_WATCH_H

#include "gpu/device.h"

struct grid_gate;

/* The deadline is so many times the expected time, no sooner than this, and no sooner than the host would have
 * been done: what is expected was measured on another device, maybe, and by one program alone. */
#define STREAM_WATCH_TIMES 10.0
#define STREAM_WATCH_LEAST_SECONDS 10.0

struct stream_watch {
    struct device *device;
    CUstream stream;
    CUevent done;            /* the plain wait for it sleeps */
    struct grid_gate *gate;  /* what a gate is before a launch; pinned, and behind it the abort word */
    int *number;             /* pinned, for one that comes home: a copy to ordinary memory may wait, awake */
    double expected_seconds; /* of what is waited for; 0: not known */
    double host_seconds;     /* which the host would take for it; 0: not known */
    bool has_deadline;       /* set by who queues kernels that may need it, cleared by a wait */
};

enum status stream_watch_create(struct device *device, CUstream stream, struct stream_watch *watch);
/* The stream is idle, or the device was lost; all zero: nothing. */
void stream_watch_destroy(struct stream_watch *watch);

/* Seconds from the beginning of a wait; finite, whatever is expected. */
double stream_watch_deadline(const struct stream_watch *watch);

/* Waits, asleep, for everything queued on the stream, and lets a long call tell how it gets on (progress.h).
 * STATUS_DEVICE_ERROR: the deadline has passed, all of the stream has ended since then, and what it computed
 * means nothing; the device gets no cooperative launches any more. STATUS_DEVICE_LOST, too, where it has not
 * ended within as long again: the device is left alone, with all memory that the stream may still use. */
enum status stream_watch_wait(struct stream_watch *watch, const char *what);

#endif

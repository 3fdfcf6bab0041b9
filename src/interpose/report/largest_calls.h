/* largest_calls.h - records of single calls: the longest of a thread, and the largest of a routine that was
 * left to the host. Neither locks; who finds a record being written, a signal handler too, leaves it. */
#ifndef MUBLAS_LARGEST_CALLS_H
#define MUBLAS_LARGEST_CALLS_H

#include "host/symbols.h"
#include "interpose/host_reason.h"
#include "tuner/online/route_times.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct large_call {
    enum symbol symbol;
    enum host_reason reason; /* HOST_REASON_COUNT: it ran on the device */
    uint64_t nanoseconds;
    struct route_shape shape; /* of BLAS m, n and k alone */
};

enum { RECORD_WORDS = 9, LARGEST_CALLS = 16, SEEN_CALLS = 128 };

/* All zero: empty. */
struct call_record {
    _Atomic uint64_t version; /* odd: being written */
    _Atomic uint64_t words[RECORD_WORDS];
};

/* Of each routine, size and place the longest. */
struct largest_calls {
    _Atomic uint64_t least; /* shorter ones need not come */
    struct seen_call {      /* nor those of a kind that are not longer than one that came, */
        _Atomic uint64_t kind, nanoseconds;
    } seen[SEEN_CALLS];     /* ... in a place by its kind */
    struct call_record of[LARGEST_CALLS];
};

void largest_calls_note(struct largest_calls *calls, const struct large_call *call);

/* Keeps the call if it is larger than the one that is there. */
void call_record_note_larger(struct call_record *record, const struct large_call *call);

/* False: it is empty, or is being written. */
bool call_record_read(const struct call_record *record, struct large_call *call);

/* Adds a call that was read to `count` of at most `most`, sorted, the longest first; the same routine, size
 * and place once. Returns the new count. */
int largest_calls_merge(struct large_call *calls, int count, int most, const struct large_call *call);

#endif

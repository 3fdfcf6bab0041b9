/* call_spans.h - the time of a thread's calls, each nanosecond of it once.
 *
 * A LAPACK routine on the host calls BLAS that is counted itself: its span stops while another of the same
 * thread is open. A span lives in the frame of who begins it; one whose frame was left by a jump counts no
 * more. For the calling thread; no-ops unless a report is wanted. */
#ifndef MUBLAS_CALL_SPANS_H
#define MUBLAS_CALL_SPANS_H

#include <stdbool.h>
#include <stdint.h>

struct call_span {
    uint64_t begun;  /* of the monotonic clock; 0: nobody wants to know */
    uint64_t inside; /* nanoseconds in spans inside; known at the end */
};

/* `is_host`: its time, less what is inside, is ACTIVITY_HOST on the time line. Else the phases of the call,
 * which phase_clock.h tells, are. */
void call_span_begin(struct call_span *span, bool is_host);

/* Nanoseconds since the beginning. */
uint64_t call_span_end(struct call_span *span);

/* Before a jump is made. */
struct jump;
void call_spans_leave(const struct jump *jump);

#endif

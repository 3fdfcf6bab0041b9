#include "interpose/report/call_spans.h"
#include "common/clock.h"
#include "common/threads/jump.h"
#include "interpose/left_frames.h"
#include "interpose/report/stats.h"

#include <stddef.h>

/* The spans that are open, of which the caller's own may be on a frame that was left by a jump: what is kept
 * of them is kept here, and they are told apart by address alone. */
enum { OPEN_MOST = 8 };

static __thread struct open_span {
    const struct call_span *span;
    uint64_t since; /* what is before it is accounted for; of the monotonic clock */
    uint64_t inside;
    bool is_host;
} open_spans[OPEN_MOST] __attribute__((tls_model("initial-exec")));
static __thread int open_count __attribute__((tls_model("initial-exec")));

/* Up to now it was this span's time. */
static void account(struct open_span *open, uint64_t now)
{
    if (open->is_host)
        stats_activity(ACTIVITY_HOST, open->since, now);
    open->since = now;
}

/* Spans in frames that are not around this one were left, and so was one at the same place. */
static void drop_left(const struct call_span *span, const void *frame)
{
    while (open_count > 0 && (open_spans[open_count - 1].span == span ||
                              left_frames_look(open_spans[open_count - 1].span, frame) != FRAME_INSIDE))
        open_count--;
}

void call_spans_leave(const struct jump *jump)
{
    while (open_count > 0 && jump_leaves(jump, open_spans[open_count - 1].span))
        open_count--;
}

void call_span_begin(struct call_span *span, bool is_host)
{
    *span = (struct call_span){.begun = 0};
    if (!stats_wanted())
        return;
    span->begun = clock_nanoseconds();
    drop_left(span, __builtin_frame_address(0));
    if (open_count == OPEN_MOST)
        return;
    if (open_count > 0)
        account(&open_spans[open_count - 1], span->begun);
    open_spans[open_count++] = (struct open_span){.span = span, .since = span->begun, .is_host = is_host};
}

uint64_t call_span_end(struct call_span *span)
{
    if (!span->begun)
        return 0;
    const uint64_t now = clock_nanoseconds(), taken = now - span->begun;
    int place = open_count - 1;
    while (place >= 0 && open_spans[place].span != span)
        place--;
    if (place < 0)
        return taken; /* there were too many, or it was taken for one that was left */
    account(&open_spans[place], now);
    span->inside = open_spans[place].inside;
    open_count = place;
    if (place > 0) {
        open_spans[place - 1].inside += taken;
        open_spans[place - 1].since = now;
    }
    return taken;
}

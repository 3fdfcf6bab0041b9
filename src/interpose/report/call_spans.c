#include "interpose/report/call_spans.h"
#include "common/clock.h"
#include "interpose/report/stats.h"

#include <stddef.h>

static __thread struct call_span *innermost __attribute__((tls_model("initial-exec")));

/* Of what was left by a jump the frame may be another function's by now: not read. */
static struct call_span *innermost_here(void)
{
    if ((const char *)innermost < (const char *)__builtin_frame_address(0))
        innermost = NULL;
    return innermost;
}

/* Up to now it was this span's time. */
static void account(struct call_span *span, uint64_t now)
{
    if (span->is_host)
        stats_activity(ACTIVITY_HOST, span->since, now);
    span->since = now;
}

void call_span_begin(struct call_span *span, bool is_host)
{
    span->begun = 0;
    if (!stats_wanted())
        return;
    const uint64_t now = clock_nanoseconds();
    *span = (struct call_span){.is_host = is_host, .begun = now, .since = now, .outer = innermost_here()};
    if (span->outer)
        account(span->outer, now);
    innermost = span;
}

uint64_t call_span_end(struct call_span *span)
{
    if (!span->begun)
        return 0;
    const uint64_t now = clock_nanoseconds(), taken = now - span->begun;
    account(span, now);
    innermost = span->outer;
    if (!innermost_here())
        return taken;
    innermost->inside += taken;
    innermost->since = now;
    return taken;
}

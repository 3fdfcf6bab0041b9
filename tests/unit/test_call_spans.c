/* Spans of a thread's calls: time inside counts for the inner one alone, also after a jump. */
#include "interpose/report/stats.h"
#include "tap.h"
#include "unit_test.h"

#include <setjmp.h>
#include <time.h>

static void spend(long nanoseconds)
{
    const struct timespec time = {0, nanoseconds};
    nanosleep(&time, NULL);
}

static uint64_t host_time(void)
{
    static struct thread_lane lanes[2];
    uint64_t sum = 0;
    int threads;
    const int count = stats_read_lanes(timeline_level(stats_run_nanoseconds()), lanes, 2, &threads);
    for (int lane = 0; lane < count; lane++)
        for (int i = 0; i < TIMELINE_STEPS; i++)
            sum += lanes[lane].steps[ACTIVITY_HOST][i];
    return sum;
}

static void test_nested(void)
{
    struct call_span outer, inner, innermost;
    const uint64_t before = host_time();
    call_span_begin(&outer, true);
    spend(1000000);
    call_span_begin(&inner, true);
    spend(1000000);
    call_span_begin(&innermost, false);
    spend(1000000);
    const uint64_t third = call_span_end(&innermost), second = call_span_end(&inner);
    spend(1000000);
    const uint64_t all = call_span_end(&outer);
    tap_ok(third >= 1000000 && second >= third + 1000000 && all >= second + 2000000, "spans contain each other");
    tap_ok(inner.inside == third && outer.inside == second, "each knows what is inside");
    tap_ok(host_time() - before == all - third, "the time line has each nanosecond of the host once");
}

static jmp_buf back;

static __attribute__((noinline)) void leave(void)
{
    struct call_span left;
    call_span_begin(&left, true);
    longjmp(back, 1);
}

static void test_jump(void)
{
    struct call_span span;
    if (setjmp(back) == 0)
        leave();
    const uint64_t before = host_time();
    spend(5000000);
    call_span_begin(&span, true);
    const uint64_t taken = call_span_end(&span);
    tap_ok(host_time() - before == taken, "a span that was left by a jump counts no more");
}

/* The frame that was left becomes part of this one's, which is deeper than where the jump went. */
static __attribute__((noinline)) bool is_kept(void)
{
    enum { BYTES = 4096 };
    volatile unsigned char memory[BYTES];
    struct call_span span;
    bool kept = true;
    for (int i = 0; i < BYTES; i++)
        memory[i] = 0xa5;
    call_span_begin(&span, true);
    spend(1000);
    call_span_end(&span);
    for (int i = 0; i < BYTES; i++)
        kept = kept && memory[i] == 0xa5;
    return kept;
}

static __attribute__((noinline)) bool is_kept_deeper(void)
{
    volatile unsigned char room[256];
    room[0] = 1;
    return is_kept() && room[0] == 1;
}

static void test_deeper_after_jump(void)
{
    if (setjmp(back) == 0)
        leave();
    tap_ok(is_kept_deeper(), "nothing is written to a frame that was left");
}

static struct call_span *deepest(int depth, struct call_span *spans)
{
    call_span_begin(&spans[depth], true);
    if (depth > 0)
        deepest(depth - 1, spans);
    call_span_end(&spans[depth]);
    return spans;
}

static void test_many(void)
{
    struct call_span spans[20];
    const uint64_t before = host_time();
    deepest(19, spans);
    tap_ok(host_time() > before && spans[19].inside > 0, "more than are kept: the outer ones still count");
}

UNIT_TEST(test_call_spans)
{
    setenv("MUBLAS_REPORT", "report.html", 1);
    if (!stats_wanted())
        tap_skip_all("no report is wanted");
    test_nested();
    test_jump();
    test_deeper_after_jump();
    test_many();
    return tap_done();
}

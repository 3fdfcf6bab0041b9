/* The longest calls: of each routine, size and place one, the longest first; also while others write. */
#include "interpose/report/stats.h"
#include "tap.h"
#include "unit_test.h"

#include <pthread.h>
#include <string.h>

static struct largest_calls calls;

static struct large_call call_of(int64_t n, uint64_t nanoseconds)
{
    return (struct large_call){SYMBOL_dgemm_, HOST_FASTER, nanoseconds,
                               {.family = LAPACK_SYEVR, .type = TYPE_Z, .vectors = true, .m = n, .n = n, .k = n,
                                .bytes_up = 8, .bytes_down = 7, .bytes_kept = 6}};
}

static int read_all(struct large_call sorted[LARGEST_CALLS])
{
    struct large_call call;
    int count = 0;
    for (int i = 0; i < LARGEST_CALLS; i++)
        if (call_record_read(&calls.of[i], &call))
            count = largest_calls_merge(sorted, count, LARGEST_CALLS, &call);
    return count;
}

static void test_sizes(void)
{
    struct large_call sorted[LARGEST_CALLS];
    bool good = true;
    memset(&calls, 0, sizeof calls);
    for (int i = 0; i < 1000; i++) {
        const int64_t n = i * 7 % 1000 + 1;
        const struct large_call call = call_of(n, (uint64_t)n * 10);
        largest_calls_note(&calls, &call);
    }
    const int count = read_all(sorted);
    for (int i = 0; i < count; i++)
        good = good && sorted[i].shape.n == 1000 - i && sorted[i].nanoseconds == (uint64_t)(1000 - i) * 10;
    tap_ok(count == LARGEST_CALLS && good, "of a thousand sizes the longest are kept and sorted");
}

static void test_same(void)
{
    struct large_call sorted[LARGEST_CALLS];
    memset(&calls, 0, sizeof calls);
    for (uint64_t i = 0; i < 100; i++) {
        const struct large_call call = call_of(5, 1 + i * 37 % 100), other = call_of(6, 3);
        largest_calls_note(&calls, &call);
        largest_calls_note(&calls, &other);
    }
    tap_ok(read_all(sorted) == 2 && sorted[0].shape.n == 5 && sorted[0].nanoseconds == 100 &&
               sorted[1].nanoseconds == 3, "of one size the longest alone is");
    const struct route_shape *const shape = &sorted[0].shape;
    tap_ok(sorted[0].symbol == SYMBOL_dgemm_ && sorted[0].reason == HOST_FASTER && shape->family == LAPACK_SYEVR &&
               shape->type == TYPE_Z && shape->vectors && !shape->is_right && shape->m == 5 && shape->k == 5 &&
               shape->bytes_up == 8 && shape->bytes_down == 7 && shape->bytes_kept == 6,
           "all that is known of it comes back");
}

static void test_larger(void)
{
    struct call_record record = {0};
    struct large_call call;
    const struct large_call small = call_of(10, 100), large = call_of(20, 5), between = call_of(15, 999);
    const bool was_empty = !call_record_read(&record, &call);
    call_record_note_larger(&record, &small);
    call_record_note_larger(&record, &large);
    call_record_note_larger(&record, &between);
    tap_ok(was_empty && call_record_read(&record, &call) && call.shape.n == 20 && call.nanoseconds == 5,
           "the largest by size");
    record.version = 1;
    call_record_note_larger(&record, &large);
    tap_ok(record.version == 1 && !call_record_read(&record, &call), "one that is being written is left alone");
}

static atomic_bool ended;

static void *note_for_long(void *unused)
{
    for (int64_t i = 1; i < 200000; i++) {
        const struct large_call call = call_of(i, (uint64_t)i);
        largest_calls_note(&calls, &call);
    }
    ended = true;
    return unused;
}

static void test_beside(void)
{
    pthread_t thread;
    struct large_call call;
    bool good = true;
    memset(&calls, 0, sizeof calls);
    if (pthread_create(&thread, NULL, note_for_long, NULL) != 0)
        abort();
    while (!ended)
        for (int i = 0; i < LARGEST_CALLS; i++)
            if (call_record_read(&calls.of[i], &call))
                good = good && call.shape.m == call.shape.n && (uint64_t)call.shape.n == call.nanoseconds;
    pthread_join(thread, NULL);
    tap_ok(good, "what is read while a thread writes is one call's");
}

UNIT_TEST(test_largest_calls)
{
    test_sizes();
    test_same();
    test_larger();
    test_beside();
    return tap_done();
}

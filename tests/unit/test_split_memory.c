/* Host memory of calls over several devices: it stays where it is small and nobody else has it. */
#include "interpose/execute/split.h"
#include "tap.h"
#include "unit_test.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALL = 5000, LARGE = 20 << 20, THREADS = 4, ROUNDS = 2000 };

static void test_kept(void)
{
    struct split_memory one, other, large, again;
    bool good = split_memory_take(&one, SMALL) && one.is_kept;
    unsigned char *const kept = one.bytes;
    tap_ok(good && split_memory_take(&other, SMALL) && !other.is_kept && other.bytes != kept,
           "of two at once the second has its own");
    split_memory_give_back(&other);
    split_memory_give_back(&one);
    good = split_memory_take(&large, LARGE) && !large.is_kept;
    tap_ok(good && split_memory_take(&again, SMALL / 2) && again.is_kept && again.bytes == kept,
           "what is large does not stay, and leaves what does");
    split_memory_give_back(&large);
    split_memory_give_back(&again);
    good = split_memory_take(&one, 200 * SMALL) && one.is_kept;
    memset(one.bytes, 1, 200 * SMALL);
    split_memory_give_back(&one);
    tap_ok(good, "it grows");
}

static void test_none(void)
{
    struct split_memory memory;
    static const char what[] = "where there is none the next call goes on";
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    (void)memory;
    tap_skip(what, "sanitizers end a program that asks for too much");
#else
    const bool none = !split_memory_take(&memory, SIZE_MAX / 4);
    split_memory_give_back(&memory);
    tap_ok(none && split_memory_take(&memory, SMALL) && memory.is_kept, "%s", what);
    split_memory_give_back(&memory);
#endif
}

static void test_parts(void)
{
    static const size_t bytes[] = {1, 64, 65, 0, 1000};
    enum { PARTS = sizeof bytes / sizeof *bytes };
    struct split_memory memory;
    size_t all = 0;
    unsigned char *end = NULL;
    bool good = true;
    for (int i = 0; i < PARTS; i++)
        all += split_memory_rounded(bytes[i]);
    if (!split_memory_take(&memory, all))
        abort();
    for (int i = 0; i < PARTS; i++) {
        unsigned char *const part = split_memory_part(&memory, bytes[i]);
        good = good && (uintptr_t)part % 64 == 0 && (!end || part >= end);
        end = part + bytes[i];
    }
    tap_ok(good && end <= memory.bytes + all, "parts lie apart, on cache lines");
    split_memory_give_back(&memory);
}

/* Nobody else writes where a thread has it. */
static void *use_often(void *number)
{
    const unsigned char mark = *(const unsigned char *)number;
    bool good = true;
    for (int i = 0; i < ROUNDS; i++) {
        const size_t bytes = (size_t)(1 + (i * 37 + mark) % SMALL);
        struct split_memory memory;
        if (!split_memory_take(&memory, bytes))
            abort();
        memset(memory.bytes, mark, bytes);
        for (size_t k = 0; k < bytes; k += 16)
            good = good && memory.bytes[k] == mark;
        split_memory_give_back(&memory);
    }
    return good ? number : NULL;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    unsigned char numbers[THREADS];
    bool good = true;
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = (unsigned char)(i + 1);
        if (pthread_create(&threads[i], NULL, use_often, &numbers[i]) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        good = good && result;
    }
    tap_ok(good, "threads at once have their own");
}

static void test_fork(void)
{
    struct split_memory memory, of_child;
    int status = -1;
    if (!split_memory_take(&memory, SMALL))
        abort();
    const pid_t child = fork();
    if (child == 0)
        _exit(!(split_memory_take(&of_child, SMALL) && of_child.bytes != memory.bytes));
    tap_ok(child > 0 && waitpid(child, &status, 0) == child && status == 0,
           "a child of fork has its own while its parent's other thread has what stays");
    split_memory_give_back(&memory);
}

UNIT_TEST(test_split_memory)
{
    test_kept();
    test_none();
    test_parts();
    test_threads();
    test_fork();
    return tap_done();
}

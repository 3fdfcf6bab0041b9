/* Packing by several threads: every byte in its place, none written between, and no thread of ours
 * left when it is over. */
#include "common/processors.h"
#include "mirror/copy_team.h"
#include "mirror/packing.h"
#include "tap.h"

#include <dirent.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 3 << 20, HOLE = 0x5a };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

struct memory {
    unsigned char host[ROOM], packed[ROOM], expected[ROOM];
};

static size_t offset(size_t row, ptrdiff_t pitch, size_t rows)
{
    return (size_t)(pitch >= 0 ? (ptrdiff_t)row * pitch : (ptrdiff_t)(rows - 1 - row) * -pitch);
}

/* Gather, compare, scatter back into a host full of holes, compare. */
static bool round_trip(struct memory *memory, uint64_t *state, size_t width, ptrdiff_t pitch, size_t rows)
{
    unsigned char *first = memory->host + offset(0, pitch, rows);
    bool good = true;
    for (size_t i = 0; i < ROOM; i += 8) {
        uint64_t value = next_random(state);
        memcpy(memory->host + i, &value, 8);
    }
    packing_gather(memory->packed, first, pitch, width, rows);
    memset(memory->expected, HOLE, ROOM);
    for (size_t row = 0; row < rows; row++) {
        size_t at = offset(row, pitch, rows);
        good = good && memcmp(memory->packed + row * width, memory->host + at, width) == 0;
        memcpy(memory->expected + at, memory->host + at, width);
    }
    memset(memory->host, HOLE, ROOM);
    packing_scatter(first, pitch, memory->packed, width, rows);
    return good && memcmp(memory->host, memory->expected, ROOM) == 0;
}

static const struct {
    size_t width;
    ptrdiff_t pitch;
    size_t rows;
} shapes[] = {
    {1 << 20, 1 << 20, 1}, {(1 << 20) + 13, 7, 1}, {1000, 1000, 1500}, {8, 24, 100000}, {8, -24, 100000}, {4, 8, 200001},
    {700, 1024, 1300},     {16, 16, 1},            {600000, 700000, 3}, {8, 16, 1000},  {0, 8, 10},       {4096, 4100, 700},
};

static void *round_trips(void *result)
{
    struct memory *memory = malloc(sizeof *memory);
    uint64_t state = 7 + (uintptr_t)result;
    bool good = memory != NULL;
    for (size_t i = 0; good && i < sizeof shapes / sizeof *shapes; i++)
        good = round_trip(memory, &state, shapes[i].width, shapes[i].pitch, shapes[i].rows);
    free(memory);
    *(bool *)result = good;
    return NULL;
}

static void test_clipped(void)
{
    enum { ORDER = 500 };
    struct memory *memory = malloc(sizeof *memory);
    bool good = true;
    /* columns of doubles, of which the lower triangle is the program's */
    struct clip clip = {0, 8, ORDER * 8, 0};
    struct transfer transfer = {.host = memory->host, .host_pitch = ORDER * 8, .width = ORDER * 8, .height = ORDER,
                                .clip = &clip};
    memset(memory->host, HOLE, ROOM);
    memset(memory->packed, 1, ROOM);
    packing_scatter_clipped(&transfer, 0, 0, memory->packed, ORDER * 8, ORDER);
    for (size_t j = 0; j < ORDER; j++)
        for (size_t byte = 0; byte < ORDER * 8; byte++)
            good = good && memory->host[j * ORDER * 8 + byte] == (byte >= j * 8 ? 1 : HOLE);
    tap_ok(good, "a triangle: nothing beyond it is written");
    free(memory);
}

static size_t threads_now(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/task");
    if (!folder)
        return 0;
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void test_several_callers(void)
{
    enum { CALLERS = 3 };
    pthread_t threads[CALLERS];
    bool good[CALLERS], all = true;
    for (int i = 0; i < CALLERS; i++)
        if (pthread_create(&threads[i], NULL, round_trips, &good[i]) != 0)
            abort();
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        all = all && good[i];
    }
    tap_ok(all, "several threads at once");
}

static void test_child(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        bool good;
        alarm(20);
        round_trips(&good);
        _exit(!good);
    }
    tap_ok(waitpid(child, &status, 0) == child && status == 0, "a child copies without its parent's threads");
}

#ifndef __SANITIZE_THREAD__
/* A program may end its main thread and rely on ending with the last of its own. */
static void test_last_thread(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        char *words[] = {"test_packing", "leave", NULL};
        execv("/proc/self/exe", words);
        _exit(1);
    }
    tap_ok(waitpid(child, &status, 0) == child && status == 0, "the process ends with the program's last thread");
}
#endif

int main(int count, char **words)
{
    bool good;
    if (count > 1 && strcmp(words[1], "leave") == 0) {
        alarm(20);
        round_trips(&good);
        pthread_exit(NULL);
    }
    size_t threads = threads_now();
#ifdef __SANITIZE_THREAD__
    threads++; /* its own, which comes with the first */
#endif
    for (int i = 0; i < 3; i++) {
        round_trips(&good);
        tap_ok(good, "round %d of every shape", i);
    }
    test_clipped();
    test_several_callers();
    test_child();
    if (processors_usable() > 1)
        tap_ok(copy_team_helped() > 0, "others did %zu shares", copy_team_helped());
    else
        tap_skip("help", "there is one processor");
    for (int i = 0; i < 100 && threads_now() > threads; i++)
        usleep(50000);
    tap_ok(threads_now() == threads, "no thread is left after a while");
    round_trips(&good);
    tap_ok(good, "and they come again");
#ifdef __SANITIZE_THREAD__
    tap_skip("the last thread", "ThreadSanitizer's own one stays");
#else
    test_last_thread();
#endif
    return tap_done();
}

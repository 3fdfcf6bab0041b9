/* returned KIND CALLS: calls that several devices share (shared_calls.h), and what of the devices' memory, of
 * pins, streams, events and threads is more after CALLS of them than after half of these. The exit status
 * tells whether all results are right. */
#include "emulated_driver/emulated.h"
#include "shared_calls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

enum { WORDS = sizeof(struct emulated_census) / sizeof(size_t), LOOKS = 50 };
union counts {
    struct emulated_census census;
    size_t words[WORDS];
};

static size_t count_threads(void)
{
    DIR *const tasks = opendir("/proc/self/task");
    size_t count = 0;
    while (tasks && readdir(tasks))
        count++;
    closedir(tasks);
    return count;
}

/* A thread that was joined may be listed for a moment more. */
static size_t count_threads_that_stay(void)
{
    size_t least = count_threads();
    for (int i = 0; i < LOOKS; i++) {
        const size_t count = count_threads();
        least = count < least ? count : least;
        usleep(1000);
    }
    return least;
}

static void take(union counts *counts, size_t *threads)
{
    void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void (*const census)(struct emulated_census *) =
        driver ? (void (*)(struct emulated_census *))dlsym(driver, "emulated_census") : NULL;
    if (!census)
        exit(2);
    census(&counts->census);
    *threads = count_threads_that_stay();
}

int main(int count, char **words)
{
    static const char *const names[WORDS] = {"allocations", "physical", "mappings", "reservations", "pinned",
                                             "streams",     "events",   "modules",  "bytes"};
    union counts before = {.words = {0}}, after;
    size_t threads_before = 0, threads;
    int wrong = 0;
    if (count < 3)
        return 2;
    shared_call *const is_right = shared_call_of(words[1]);
    const int calls = atoi(words[2]);
    double *const room = shared_call_room();
    for (int i = 0; i < calls; i++) {
        if (i == calls / 2)
            take(&before, &threads_before);
        wrong += !is_right(room);
    }
    take(&after, &threads);
    for (int i = 0; i < WORDS; i++)
        if (after.words[i] > before.words[i])
            printf("%s: %zu, %zu before\n", names[i], after.words[i], before.words[i]);
    if (threads > threads_before)
        printf("threads: %zu, %zu before\n", threads, threads_before);
    free(room);
    return wrong > 0;
}

#include "command/thread_place.h"
#include "command/random_flags.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One of the thread's processors, but not the one that it runs on; -1: there is no other. */
static int draw(const cpu_set_t *usable, int present, uint64_t *seed)
{
    int found = -1, count = 0;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (i != present && CPU_ISSET(i, usable) && random_part(seed) * ++count < 1)
            found = i;
    return found;
}

enum { GONE = -1, UNSEEN = -2 };

/* Where a thread is or was last, and whether it runs there, or is about to; or one of these.
 * proc_pid_stat(5): "TID (NAME) STATE ...", the processor is the 39th field; a name may have parentheses. */
static int processor_of(pid_t thread, bool *runs)
{
    enum { STATE = 3, PROCESSOR = 39 };
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno != ENOENT && errno != ESRCH)
        return *runs = false, UNSEEN;
    const ssize_t bytes = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[bytes < 0 ? 0 : bytes] = '\0';
    const char *at = strrchr(text, ')');
    *runs = at && strncmp(at, ") R", 3) == 0;
    for (int field = STATE - 1; at && field < PROCESSOR; field++)
        at = strchr(at + 1, ' ');
    return at ? atoi(at + 1) : GONE;
}

/* False: not all can be seen. */
static bool look_at_all(struct thread_places *places)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *entry;
    bool runs, good = tasks;
    places->count = 0;
    while (good && (entry = readdir(tasks))) {
        const pid_t thread = atoi(entry->d_name);
        if (thread <= 0 || thread == gettid())
            continue;
        const int processor = processor_of(thread, &runs);
        if (processor == GONE)
            continue;
        good = processor != UNSEEN && places->count < THREADS_PLACED;
        if (!good)
            break;
        places->threads[places->count].thread = thread;
        places->threads[places->count++].processor = processor;
    }
    if (tasks)
        closedir(tasks);
    return good;
}

/* The place in the table of one that was seen there last and runs there; -1: there is none. */
static int seen_on(struct thread_places *places, int processor)
{
    for (int i = 0; i < places->count; i++) {
        bool runs;
        if (places->threads[i].processor != processor)
            continue;
        places->threads[i].processor = processor_of(places->threads[i].thread, &runs);
        if (runs && places->threads[i].processor == processor)
            return i;
    }
    return -1;
}

/* The same of any thread; *found is -1 only after a look at all of them, since two on one processor stay so for
 * tens of milliseconds. It takes a quarter of a millisecond where there are fifteen. */
static bool find_on(struct thread_places *places, int processor, int *found)
{
    *found = seen_on(places, processor);
    if (*found >= 0)
        return true;
    if (!look_at_all(places))
        return false;
    *found = seen_on(places, processor);
    return true;
}

/* Whatever the process may use, if what the thread might is refused: not for ever one. */
static bool release(pid_t thread, const cpu_set_t *usable)
{
    cpu_set_t all;
    if (sched_setaffinity(thread, sizeof *usable, usable) == 0)
        return true;
    memset(&all, 0xff, sizeof all);
    if (sched_setaffinity(thread, sizeof *usable, usable) != 0)
        sched_setaffinity(thread, sizeof all, &all);
    return false;
}

/* The system moves it at once. */
static bool bind(pid_t thread, int processor)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    return sched_setaffinity(thread, sizeof one, &one) == 0;
}

/* The calling thread stays bound to the place until another one, 0: none, is where it was: the processor that is
 * idle until then would take it back. */
static bool exchange(int place, const cpu_set_t *usable, int present, pid_t other, const cpu_set_t *usable_there)
{
    if (!bind(gettid(), place))
        return false;
    const bool good = !other || (bind(other, present) && release(other, usable_there));
    return release(gettid(), usable) && good;
}

bool thread_place_change(struct thread_places *places)
{
    cpu_set_t usable, usable_there;
    const int present = sched_getcpu();
    int found;
    if (present < 0 || present >= CPU_SETSIZE || sched_getaffinity(0, sizeof usable, &usable) != 0)
        return false;
    const int place = draw(&usable, present, &places->seed);
    if (place < 0)
        return false;
    if (!find_on(places, place, &found))
        return false;
    const pid_t other = found < 0 ? 0 : places->threads[found].thread;
    if (other && (sched_getaffinity(other, sizeof usable_there, &usable_there) != 0 ||
                  !CPU_ISSET(present, &usable_there)))
        return false;
    if (!exchange(place, &usable, present, other, &usable_there))
        return false;
    if (other)
        places->threads[found].processor = present;
    return true;
}

#include "common/own_thread.h"
#include "interpose/purchase/purchase.h"
#include "mirror/pinning/pins.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The constants of ioprio_set(2), which has no header everywhere. */
enum { ONE_THREAD = 1, CLASS_SHIFT = 13, CLASS_NONE = 0, BEST_EFFORT = 2 << CLASS_SHIFT, NORMAL = 4 };
enum { RARE = BEST_EFFORT | (NORMAL + 1), ALSO_RARE = RARE + 1 };
enum { FIRST_LOOK_NANOSECONDS = 1 << 20, LAST_LOOK_NANOSECONDS = 1 << 27 };

/* glibc has room for the values of so many keys in each thread; for those of more it allocates. */
enum { KEYS_WITH_ROOM = 32 };

/* The watcher starts when both are so. */
enum { MAIN_ENDED = 1, DRIVER_AWAKE = 2 };
static atomic_int reasons;
static atomic_int mark; /* the priority that tells the driver's threads; 0: none was needed yet */
static atomic_uint begun, ended; /* how often a thread had it that may be the program's */
static atomic_bool unmarked; /* the driver's threads cannot be told */
static pthread_key_t main_key;
static _Atomic pid_t process; /* 0: its main thread is not watched */
static sigset_t mask_of_main;

static int priority_of(pid_t thread)
{
    return (int)syscall(SYS_ioprio_get, ONE_THREAD, thread);
}

static bool set_priority(int priority)
{
    return syscall(SYS_ioprio_set, ONE_THREAD, 0, priority) == 0;
}

static bool main_is_gone(void)
{
    char text[512];
    const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && strncmp(name_end, ") Z", 3) == 0;
}

/* The list may stop at a thread that ends amid: then that one is no longer found, or those after it are
 * not listed, of which this is one. It has room for a thousand threads, in the order of their beginning;
 * where there are more, others come first. */
static bool list_has_others(const char *list, ssize_t bytes)
{
    bool found_self = false;
    for (const char *at = list; at < list + bytes;) {
        const struct dirent64 *entry = (const struct dirent64 *)(const void *)at;
        const pid_t thread = atoi(entry->d_name);
        at += entry->d_reclen;
        if (thread == gettid())
            found_self = true;
        else if (thread > 0 && thread != process && priority_of(thread) != atomic_load(&mark))
            return true;
    }
    return !found_self;
}

static bool threads_are_left(void)
{
    static char list[32 << 10] __attribute__((aligned(16)));
    const int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return true;
    const ssize_t bytes = getdents64(folder, list, sizeof list);
    close(folder);
    return list_has_others(list, bytes);
}

/* In doubt true. */
static bool others_are_left(void)
{
    const unsigned before = atomic_load(&begun);
    const bool alone = atomic_load(&ended) == before && !threads_are_left() && main_is_gone();
    return !alone || atomic_load(&begun) != before || atomic_load(&unmarked);
}

static void *watch(void *unused)
{
    struct timespec pause = {.tv_nsec = FIRST_LOOK_NANOSECONDS};
    while (others_are_left()) {
        if (atomic_load(&unmarked))
            return unused;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < LAST_LOOK_NANOSECONDS)
            pause.tv_nsec *= 2;
    }
    if (cuda_users_present())
        for (;;)
            sigsuspend(&mask_of_main);
    pthread_sigmask(SIG_SETMASK, &mask_of_main, NULL);
    exit(0);
}

/* With a whole stack, for the program's exit handlers. */
static void start_watcher(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    size_t bytes = 0;
    if (pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
    if (own_thread_start(&thread, bytes, watch, NULL))
        pthread_detach(thread);
}

static void note_reason(int reason)
{
    const int before = atomic_fetch_or(&reasons, reason);
    if (before != (before | reason) && (before | reason) == (MAIN_ENDED | DRIVER_AWAKE))
        start_watcher();
}

static void main_ends(void *unused)
{
    const int saved_errno = errno;
    (void)unused;
    if (getpid() != process)
        return; /* a fork's child, which stays on the host */
    pthread_sigmask(SIG_SETMASK, NULL, &mask_of_main);
    note_reason(MAIN_ENDED);
    errno = saved_errno;
}

static void watch_main(bool may_allocate)
{
    if (process != 0 || gettid() != getpid() || pthread_key_create(&main_key, main_ends) != 0)
        return;
    if ((main_key < KEYS_WITH_ROOM || may_allocate) && pthread_setspecific(main_key, &process) == 0)
        process = getpid();
    else
        pthread_key_delete(main_key);
}

/* The program's own malloc may not be ready yet. */
__attribute__((constructor)) static void watch_main_at_load(void)
{
    watch_main(false);
}

static bool mark_thread(int priority_before)
{
    int none = 0;
    atomic_compare_exchange_strong(&mark, &none, priority_before == RARE ? ALSO_RARE : RARE);
    return priority_before >= 0 && priority_before != atomic_load(&mark) && set_priority(atomic_load(&mark));
}

int last_thread_driver_begins(void)
{
    const int before = priority_of(gettid());
    watch_main(true); /* calls may come before constructors, and another thread may have loaded the library */
    atomic_fetch_add(&begun, 1);
    if (mark_thread(before))
        return before;
    atomic_store(&unmarked, true);
    return -1;
}

void last_thread_driver_has_begun(int priority_before, bool is_awake)
{
    const bool was_set = priority_before >> CLASS_SHIFT != CLASS_NONE;
    if (priority_before >= 0 && !set_priority(was_set ? priority_before : 0))
        atomic_store(&unmarked, true);
    atomic_fetch_add(&ended, 1);
    if (is_awake)
        note_reason(DRIVER_AWAKE);
}

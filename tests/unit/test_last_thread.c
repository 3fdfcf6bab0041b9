/* The end of a process whose main thread left by pthread_exit. Runs itself for that: test_last_thread WAY. */
#include "interpose/purchase/purchase.h"
#include "tap.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__
static const bool has_runtime_thread = true;
#else
static const bool has_runtime_thread = false;
#endif

enum { BEST_EFFORT_4 = 2 << 13 | 4, MARK = 2 << 13 | 5, SOON = 300000, LATE = 30 };

static int priority_of(pid_t thread)
{
    return (int)syscall(SYS_ioprio_get, 1, thread);
}

static void *last(void *thread)
{
    *(_Atomic pid_t *)thread = gettid();
    for (;;)
        pause();
    return NULL;
}

static pid_t lasting_thread(void)
{
    static _Atomic pid_t ids[4];
    static int count;
    pthread_t thread;
    _Atomic pid_t *id = &ids[count++];
    if (pthread_create(&thread, NULL, last, id) != 0)
        abort();
    while (!*id)
        usleep(1000);
    return *id;
}

static void begin_driver(void)
{
    const int before = last_thread_driver_begins();
    lasting_thread();
    last_thread_driver_has_begun(before, true);
}

static void *begin_driver_slowly(void *unused)
{
    const int before = last_thread_driver_begins();
    usleep(SOON);
    last_thread_driver_has_begun(before, true);
    usleep(SOON);
    if (write(STDOUT_FILENO, "thread ", 7) != 7)
        abort();
    return unused;
}

static void *begin_driver_with_its_mark(void *unused)
{
    syscall(SYS_ioprio_set, 1, 0, MARK);
    begin_driver();
    return last(unused);
}

/* As programs do that want the usual one. */
static void *set_usual(void *id)
{
    syscall(SYS_ioprio_set, 1, 0, BEST_EFFORT_4);
    return last(id);
}

static void at_exit(void)
{
    if (write(STDOUT_FILENO, "handler", 7) != 7)
        abort();
}

static void be(const char *way)
{
    static _Atomic pid_t id;
    pthread_t thread;
    atexit(at_exit);
    if (strcmp(way, "marked") == 0)
        syscall(SYS_ioprio_set, 1, 0, MARK);
    begin_driver();
    if (strcmp(way, "slow") == 0)
        pthread_create(&thread, NULL, begin_driver_slowly, NULL);
    else if (strcmp(way, "same") == 0)
        pthread_create(&thread, NULL, begin_driver_with_its_mark, (void *)&id);
    else if (strcmp(way, "usual") == 0)
        pthread_create(&thread, NULL, set_usual, (void *)&id);
    else if (strcmp(way, "others") == 0)
        lasting_thread();
    pthread_exit(NULL);
}

/* The process's output, once it has ended or `seconds` have passed, after which it is killed. */
static const char *output_of(const char *way, unsigned seconds)
{
    static char text[64];
    int ends[2], status;
    if (pipe(ends) != 0)
        abort();
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        alarm(seconds);
        execl("/proc/self/exe", "test_last_thread", way, (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    if (waitpid(child, &status, 0) != child)
        abort();
    const ssize_t length = read(ends[0], text, sizeof text - 10);
    text[length > 0 ? length : 0] = '\0';
    strcat(text, WIFSIGNALED(status) ? "killed" : status != 0 ? "failed" : "");
    close(ends[0]);
    return text;
}

static void test_marks(void)
{
    const pid_t usual = lasting_thread();
    const int own = priority_of(gettid()), before = last_thread_driver_begins();
    const pid_t drivers = lasting_thread();
    last_thread_driver_has_begun(before, true);
    tap_ok(priority_of(drivers) != own && priority_of(usual) == own, "the driver's threads have a mark");
    tap_ok(priority_of(gettid()) == own && priority_of(lasting_thread()) == own, "and no others");
}

static void test_ends(void)
{
    if (has_runtime_thread) {
        tap_skip("ends", "the sanitizer's runtime keeps a thread of its own");
        return;
    }
    tap_ok(strcmp(output_of("plain", LATE), "handler") == 0,
           "a process ends though the driver's threads do not");
    tap_ok(strcmp(output_of("marked", LATE), "handler") == 0, "and in a program with priorities of its own");
    tap_ok(strcmp(output_of("slow", LATE), "thread handler") == 0,
           "not before a thread that used the driver");
    tap_ok(strcmp(output_of("others", 1), "killed") == 0, "not before others");
    tap_ok(strcmp(output_of("usual", 1), "killed") == 0, "nor before one that has set the usual priority");
    tap_ok(strcmp(output_of("same", 1), "killed") == 0, "nor before one that has the mark by itself");
}

int main(int count, char **arguments)
{
    if (count > 1)
        be(arguments[1]);
    if (priority_of(gettid()) < 0)
        tap_skip_all("no I/O priorities here");
    test_marks();
    test_ends();
    return tap_done();
}

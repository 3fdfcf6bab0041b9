/* The amount that is pinned is told truly, whatever becomes of the descriptor kept for the question. */
#include "mirror/host_memory/kernel_interface.h"
#include "system/unseen_ring.h"
#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PINNED_BYTES = 64 << 10 };

static struct process_pins pins;
static bool has_ring;

/* -1: there is no such line. */
static long pinned_by(const char *path)
{
    char line[256];
    long kilobytes = -1;
    FILE *stream = fopen(path, "re");
    while (stream && fgets(line, sizeof line, stream))
        sscanf(line, "VmPin: %ld kB", &kilobytes);
    if (stream)
        fclose(stream);
    return kilobytes < 0 ? -1 : kilobytes << 10;
}

static bool is_right(void)
{
    return (long)process_pins_bytes(&pins) == pinned_by("/proc/thread-self/status");
}

/* Open descriptors of status files. */
static int count_kept(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/thread-self/fd");
    for (struct dirent *entry; (entry = readdir(directory));) {
        char target[64] = "";
        if (readlinkat(dirfd(directory), entry->d_name, target, sizeof target - 1) > 0)
            count += strstr(target, "/status") != NULL;
    }
    closedir(directory);
    return count;
}

/* So that no answer is told from the right one. */
static bool pin_some(void)
{
    static struct ring ring; /* to the end: it holds the pages */
    void *memory = mmap(NULL, PINNED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED && ring_set_up(&ring) && ring_register(&ring, memory, PINNED_BYTES);
}

/* For what would say little without a pin. */
static void check_pinned(bool good, const char *what)
{
    if (has_ring)
        tap_ok(good, "%s", what);
    else
        tap_skip(what, "nothing can be pinned here");
}

static bool child_says(bool (*function)(void))
{
    int state = 1;
    pid_t child = fork();
    if (child == 0)
        _exit(!function());
    return child > 0 && waitpid(child, &state, 0) == child && state == 0;
}

static void test_kept(void)
{
    bool good = process_pins_bytes(&pins) == 0 && count_kept() == 1;
    const int number = pins.status.number;
    tap_ok(good && number >= DESCRIPTOR_LOWEST, "the file is kept open, out of the way");
    tap_ok(fcntl(number, F_GETFD) & FD_CLOEXEC, "but not for other programs");
    has_ring = pin_some() && pinned_by("/proc/self/status") >= PINNED_BYTES;
    check_pinned(is_right(), "what comes to be pinned later is told");
    fcntl(number, F_SETFD, 0); /* by which we know it again */
    for (int i = 0; i < 100; i++)
        good = good && is_right();
    tap_ok(good && count_kept() == 1 && pins.status.number == number && fcntl(number, F_GETFD) == 0,
           "a hundred times by the same descriptor");
    process_pins_close(&pins);
    tap_ok(count_kept() == 0, "which can be closed");
}

static void *ask_on_thread(void *right)
{
    *(bool *)right = is_right();
    return NULL;
}

static bool thread_is_right(void)
{
    bool right = false;
    pthread_t thread;
    return pthread_create(&thread, NULL, ask_on_thread, &right) == 0 &&
           pthread_join(thread, NULL) == 0 && right;
}

static void test_ended_thread(void)
{
    process_pins_close(&pins);
    tap_ok(thread_is_right() && count_kept() == 1, "another thread opens it");
    check_pinned(is_right(), "and has ended when the next asks");
    check_pinned(thread_is_right() && thread_is_right() && is_right(), "and so again");
    tap_ok(count_kept() == 1, "of all of which one descriptor remains");
}

static void *outlive_main(void *unused)
{
    (void)unused;
    while (pinned_by("/proc/self/status") >= 0)
        usleep(1000);
    bool good = is_right() && count_kept() == 1;
    const int number = pins.status.number;
    _exit(!(good && is_right() && pins.status.number == number && count_kept() == 1));
}

static bool leave_main(void)
{
    pthread_t thread;
    process_pins_close(&pins); /* the parent's, of which this is a copy */
    if (!pin_some() || !is_right() || pthread_create(&thread, NULL, outlive_main, NULL) != 0)
        return false;
    pthread_exit(NULL);
}

static bool own_is_told(void)
{
    const struct process_pins parents = pins;
    return pinned_by("/proc/self/status") == 0 && process_pins_bytes(&pins) == 0 &&
           memcmp(&parents, &pins, sizeof pins) == 0;
}

static void test_fork(void)
{
    check_pinned(is_right() && child_says(own_is_told), "a fork child is told of its own memory");
    tap_ok(is_right() && count_kept() == 1, "the parent keeps what it had");
    check_pinned(child_says(leave_main), "a program whose main thread has left by pthread_exit is told");
}

static void test_closed(void)
{
    close(pins.status.number);
    check_pinned(is_right(), "the program closes the descriptor: another is opened");
    tap_ok(count_kept() == 1, "and kept");
}

static void test_reused(void)
{
    static const char text[] = "Name:\tprogram\nVmPin:\t    4444 kB\n";
    struct stat before, after;
    const int number = pins.status.number, file = memfd_create("program", MFD_CLOEXEC);
    if (file < 0 || write(file, text, sizeof text) != (ssize_t)sizeof text || lseek(file, 5, SEEK_SET) != 5 ||
        fcntl(file, F_SETFL, O_NONBLOCK) != 0 || dup2(file, number) != number || fstat(file, &before) != 0)
        abort();
    tap_ok(is_right(), "the program's file under its number is not read");
    tap_ok(fstat(number, &after) == 0 && before.st_ino == after.st_ino, "it is left open");
    tap_ok(lseek(number, 0, SEEK_CUR) == 5, "at the place where the program had it");
    tap_ok(pins.status.number != number && count_kept() == 1, "and another descriptor is kept");
    close(number);
    close(file);
}

/* Here not even the inode tells. */
static void test_same_file(void)
{
    const int number = pins.status.number, file = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0 || dup2(file, number) != number || !descriptor_is_ours(&pins.status))
        abort();
    tap_ok(is_right() && lseek(number, 0, SEEK_CUR) == 0, "the program's own status file serves unharmed");
    process_pins_close(&pins);
    tap_ok(fcntl(number, F_GETFD) >= 0, "and stays open");
    close(number);
    close(file);
}

static void allow_descriptors(rlim_t count)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        abort();
    limit.rlim_cur = count;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        abort();
}

static void test_few_descriptors(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    process_pins_close(&pins);
    allow_descriptors(DESCRIPTOR_LOWEST);
    tap_ok(is_right() && is_right() && count_kept() == 0, "where there are no high numbers none is kept");
    allow_descriptors(0);
    tap_ok(process_pins_bytes(&pins) == 0, "where none is, nothing is known");
    allow_descriptors(limit.rlim_cur);
    const bool kept = is_right() && count_kept() == 1;
    allow_descriptors(0);
    const uint64_t answer = process_pins_bytes(&pins);
    allow_descriptors(limit.rlim_cur);
    tap_ok(kept && (long)answer == pinned_by("/proc/thread-self/status"), "one that is kept answers then");
}

/* Answered with EPERM from now on. */
static bool refuse(unsigned call, unsigned or_call)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, or_call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog all = {.len = sizeof program / sizeof *program, .filter = program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0;
}

/* Takes it, too. */
static int lowest_free(void)
{
    return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, DESCRIPTOR_LOWEST);
}

/* A child is told this of its own pins while these calls are refused, having asked before or not. */
static void check_refused(unsigned call, unsigned or_call, bool asked_before, bool is_known, const char *what)
{
    enum { NO_FILTER = 77 };
    const pid_t child = has_ring ? fork() : -1;
    int state = 0;
    if (child == 0) {
        memset(&pins, 0, sizeof pins);
        bool good = pin_some() && (!asked_before || is_right());
        const uint64_t truth = is_known ? (uint64_t)pinned_by("/proc/self/status") : 0;
        if (!refuse(call, or_call))
            _exit(NO_FILTER);
        good = good && process_pins_bytes(&pins) == truth;
        const int first_free = lowest_free();
        for (int i = 0; i < 5; i++)
            good = good && process_pins_bytes(&pins) == truth;
        _exit(!(good && lowest_free() == first_free + 1));
    }
    if (child < 0 || waitpid(child, &state, 0) != child ||
        (WIFEXITED(state) && WEXITSTATUS(state) == NO_FILTER))
        tap_skip(what, "nothing can be pinned here, or no call be refused");
    else
        tap_ok(state == 0, "%s", what);
}

static void test_refused_calls(void)
{
    check_refused(SYS_openat, SYS_openat, false, false, "where nothing may be opened nothing is known");
    check_refused(SYS_openat, SYS_openat, true, true, "but for what was open before");
    check_refused(SYS_pread64, SYS_pread64, true, true, "where the kept one cannot be read another is");
    check_refused(SYS_newfstatat, SYS_fstat, false, true, "where they cannot be told apart none is kept");
}

int main(void)
{
    test_kept();
    test_ended_thread();
    test_fork();
    test_closed();
    test_reused();
    test_same_file();
    test_few_descriptors();
    test_refused_calls();
    return tap_done();
}

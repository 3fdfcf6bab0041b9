#include "common/clock.h"
#include "common/launcher.h"
#include "scalapack/team.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES = 8192 };

/* The beginning of a file of /proc or /sys; false: it cannot be read. */
static bool read_text(const char *path, char text[TEXT_BYTES])
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, text, TEXT_BYTES - 1);
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

static size_t available(void)
{
    char text[TEXT_BYTES];
    const char *const line = read_text("/proc/meminfo", text) ? strstr(text, "MemAvailable:") : NULL;
    return line ? strtoull(line + strlen("MemAvailable:"), NULL, 10) << 10 : SIZE_MAX;
}

/* A number in a file of a control group; "max" and what is not there: no limit. */
static size_t number_in(const char *group, const char *name, size_t otherwise)
{
    char path[640], text[TEXT_BYTES];
    snprintf(path, sizeof path, "%s/%s", group, name);
    return read_text(path, text) && *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : otherwise;
}

/* How the two versions of control groups tell. */
struct group_kind {
    const char *line, *folder, *most, *used;
};

/* The least room in the group of that kind and in those around it. */
static size_t room_in(const char *groups, const struct group_kind *kind)
{
    char path[512];
    const char *const line = strstr(groups, kind->line),
               *const group = line ? line + strlen(kind->line) : NULL;
    size_t room = SIZE_MAX;
    if (!group)
        return room;
    const size_t root = strlen(kind->folder);
    snprintf(path, sizeof path, "%s%.*s", kind->folder, (int)strcspn(group, "\n"), group);
    for (char *last = path; last; last = strlen(path) > root ? strrchr(path, '/') : NULL) {
        if (last != path)
            *last = 0;
        const size_t most = number_in(path, kind->most, SIZE_MAX), used = number_in(path, kind->used, 0);
        const size_t here = most > used ? most - used : 0;
        room = here < room ? here : room;
    }
    return room;
}

static size_t room_in_group(void)
{
    static const struct group_kind kinds[] = {
        {"0::", "/sys/fs/cgroup", "memory.max", "memory.current"},
        {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"}};
    char text[TEXT_BYTES];
    size_t room = SIZE_MAX;
    if (!read_text("/proc/self/cgroup", text))
        return room;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t here = room_in(text, &kinds[i]);
        room = here < room ? here : room;
    }
    return room;
}

static bool exceeds(int resource, size_t bytes)
{
    struct rlimit limit;
    return getrlimit((__rlimit_resource_t)resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           limit.rlim_cur < bytes;
}

const char *machine_memory_limit_forbids(size_t bytes)
{
    return exceeds(RLIMIT_FSIZE, bytes) ? "the limit of a file's size (ulimit -f)"
           : exceeds(RLIMIT_AS, bytes)  ? "the limit of address space (ulimit -v)"
                                        : NULL;
}

const char *machine_memory_forbids(size_t bytes)
{
    const char *const limit = machine_memory_limit_forbids(bytes);
    if (limit)
        return limit;
    if (bytes > room_in_group() / 2)
        return "the control group's memory";
    return bytes > available() / 8 * 7 ? "the machine's memory" : NULL;
}

_Static_assert(sizeof(struct rendezvous) <= RENDEZVOUS_BYTES, "one page");

/* A process that spins may hold the core that the owner's threads need. */
enum { SPIN_NS = 50000, NAP_NS = 100000000 };

static long futex(_Atomic uint32_t *word, int operation, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

static void pause_briefly(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Rounds count on past 2^32. */
static bool has_reached(const _Atomic uint32_t *word, uint32_t value)
{
    return (int32_t)(atomic_load_explicit(word, memory_order_acquire) - value) >= 0;
}

static bool spin_for(const _Atomic uint32_t *word, uint32_t value)
{
    const uint64_t begun = clock_nanoseconds();
    while (!has_reached(word, value)) {
        if (clock_nanoseconds() - begun > SPIN_NS)
            return false;
        pause_briefly();
    }
    return true;
}

static bool are_alive(const struct company *company)
{
    for (int i = 0; i < company->count; i++)
        if (!process_is_alive(company->processes[i]))
            return false;
    return true;
}

void rendezvous_put(struct rendezvous *rendezvous)
{
    atomic_fetch_add(&rendezvous->put, 1);
    if (atomic_load(&rendezvous->owner_sleeps))
        futex(&rendezvous->put, FUTEX_WAKE, INT_MAX, NULL);
}

/* Sleeps while the word is what it was, at most for a nap, which signals may cut short. True: it is time to
 * look who lives, which was at *looked before. */
static bool nap(_Atomic uint32_t *word, uint32_t seen, uint64_t *looked)
{
    const struct timespec timeout = {.tv_nsec = NAP_NS};
    futex(word, FUTEX_WAIT, seen, &timeout);
    const uint64_t now = clock_nanoseconds();
    const bool is_time = now - *looked >= NAP_NS;
    *looked = is_time ? now : *looked;
    return is_time;
}

bool rendezvous_await_puts(struct rendezvous *rendezvous, uint32_t round, const struct company *company)
{
    const uint32_t wanted = round * (uint32_t)company->count;
    bool is_complete = spin_for(&rendezvous->put, wanted), all_live = true;
    uint64_t looked = clock_nanoseconds();
    atomic_store(&rendezvous->owner_sleeps, !is_complete);
    while (!is_complete && all_live) {
        const uint32_t seen = atomic_load(&rendezvous->put);
        is_complete = has_reached(&rendezvous->put, wanted);
        if (!is_complete && nap(&rendezvous->put, seen, &looked))
            all_live = are_alive(company);
        is_complete = has_reached(&rendezvous->put, wanted);
    }
    atomic_store(&rendezvous->owner_sleeps, 0);
    return is_complete;
}

void rendezvous_finish(struct rendezvous *rendezvous, uint32_t round, const struct round_result *result)
{
    rendezvous->result = *result;
    atomic_store_explicit(&rendezvous->done, round, memory_order_release);
    futex(&rendezvous->done, FUTEX_WAKE, INT_MAX, NULL);
}

bool rendezvous_await_finish(struct rendezvous *rendezvous, uint32_t round, const struct company *company,
                             struct round_result *result)
{
    const pid_t owner = company->processes[company->owner];
    uint64_t looked = clock_nanoseconds();
    bool is_done = spin_for(&rendezvous->done, round), lives = true;
    while (!is_done && lives) {
        const uint32_t seen = atomic_load(&rendezvous->done);
        is_done = has_reached(&rendezvous->done, round);
        if (!is_done && nap(&rendezvous->done, seen, &looked))
            lives = process_is_alive(owner);
        is_done = has_reached(&rendezvous->done, round); /* it may have finished before it died */
    }
    if (is_done)
        *result = rendezvous->result;
    return is_done;
}

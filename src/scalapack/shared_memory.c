#include "common/clock.h"
#include "common/launcher.h"
#include "common/own_thread.h"
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
    if (bytes > memory_room_in_groups() / 2)
        return "the control group's memory";
    return bytes > memory_available() / 8 * 7 ? "the machine's memory" : NULL;
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

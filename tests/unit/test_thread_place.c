/* A thread that changes its processor: where it may go, who makes room, and that nobody's processors
 * change. */
#include "command/thread_place.h"
#include "tap.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Exchanges that must be seen; after some the system moves one of the two before they are looked at. */
enum { CHANGES = 200, EXCHANGES = 60, TRIES = 10 * EXCHANGES };

static sem_t asleep, wake;
static atomic_int stop;
static atomic_int spinner; /* its thread's number, once it runs */

/* The library's, but for one call: so manieth from now on fails. 0: none. */
static int failing;

int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *usable)
{
    if (failing > 0 && --failing == 0) {
        errno = EPERM;
        return -1;
    }
    return (int)syscall(SYS_sched_setaffinity, thread, bytes, usable);
}

static void *spin(void *unused)
{
    atomic_store(&spinner, gettid());
    while (!atomic_load(&stop))
        sched_yield();
    return unused;
}

static cpu_set_t processors_of(pid_t thread)
{
    cpu_set_t usable;
    CPU_ZERO(&usable);
    if (sched_getaffinity(thread, sizeof usable, &usable) != 0)
        abort();
    return usable;
}

static void restrict_to(pid_t thread, const cpu_set_t *usable)
{
    if (sched_setaffinity(thread, sizeof *usable, usable) != 0)
        abort();
}

/* The nth of a set, alone. */
static cpu_set_t nth(const cpu_set_t *usable, int n)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, usable) && n-- == 0)
            CPU_SET(i, &one);
    return one;
}

/* Where the system has it. */
static int processor_of(pid_t thread)
{
    char path[64], text[1024] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(text, sizeof text, file))
        abort();
    fclose(file);
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 39; field++)
        at = strchr(at + 1, ' ');
    return at ? atoi(at + 1) : -1;
}

static void test_places(struct thread_places *places, const cpu_set_t *usable)
{
    cpu_set_t seen;
    int stayed = 0, refused = 0;
    CPU_ZERO(&seen);
    for (int i = 0; i < CHANGES; i++) {
        const int before = sched_getcpu();
        refused += !thread_place_change(places);
        CPU_SET(sched_getcpu(), &seen);
        stayed += sched_getcpu() == before;
    }
    const cpu_set_t after = processors_of(0);
    tap_ok(refused == 0 && stayed < CHANGES / 4,
           "of %d changes %d were refused, after %d it was where it was before", CHANGES, refused, stayed);
    tap_ok(CPU_COUNT(&seen) > CPU_COUNT(usable) / 2, "it was on %d of %d processors", CPU_COUNT(&seen),
           CPU_COUNT(usable));
    tap_ok(CPU_EQUAL(&after, usable), "and may use all of them as before");
}

/* Both have the same two processors, and each begins on one of them. */
static void put_apart(const cpu_set_t *pair)
{
    const cpu_set_t first = nth(pair, 0), second = nth(pair, 1);
    restrict_to(0, &first);
    restrict_to(atomic_load(&spinner), &second);
    restrict_to(0, pair);
}

static void test_exchange(struct thread_places *places, const cpu_set_t *pair)
{
    const pid_t other = atomic_load(&spinner);
    int exchanged = 0, changed = 0, tries = 0;
    for (; tries < TRIES && exchanged < EXCHANGES; tries++) {
        if (sched_getcpu() == processor_of(other) || tries == 0) {
            put_apart(pair);
            restrict_to(other, pair);
        }
        const int own = sched_getcpu(), others = processor_of(other);
        changed += thread_place_change(places);
        exchanged += own != others && processor_of(other) == own && sched_getcpu() == others;
    }
    const cpu_set_t own_after = processors_of(0), others_after = processors_of(other);
    tap_ok(changed == tries && exchanged == EXCHANGES,
           "%d of %d times it goes on elsewhere, %d times the thread that runs there takes its place",
           changed, tries, exchanged);
    tap_ok(CPU_EQUAL(&own_after, pair) && CPU_EQUAL(&others_after, pair), "and both may use both as before");
}

/* As the system does when it wakes threads: after it was seen, the other one comes to be elsewhere. */
static void test_moved(struct thread_places *places, const cpu_set_t *pair)
{
    const pid_t other = atomic_load(&spinner);
    int exchanged = 0, tries = 0;
    for (; tries < TRIES && exchanged < EXCHANGES; tries++) {
        const cpu_set_t first = nth(pair, tries % 2), second = nth(pair, 1 - tries % 2);
        for (int thread = 0; thread < 2; thread++) {
            restrict_to(thread ? other : 0, thread ? &second : &first);
            restrict_to(thread ? other : 0, pair);
        }
        const int own = sched_getcpu(), others = processor_of(other);
        for (int seen = 0; seen < places->count; seen++)
            places->threads[seen].processor = own;
        exchanged += own != others && thread_place_change(places) && processor_of(other) == own &&
                     sched_getcpu() == others;
    }
    tap_ok(exchanged == EXCHANGES, "%d of %d times, too, where it had been seen elsewhere", exchanged, tries);
}

static void test_refusals(struct thread_places *places, const cpu_set_t *pair)
{
    const cpu_set_t first = nth(pair, 0), second = nth(pair, 1);
    int changed = 0;
    put_apart(pair); /* the other one for good */
    for (int i = 0; i < EXCHANGES; i++)
        changed += thread_place_change(places);
    const cpu_set_t others_after = processors_of(atomic_load(&spinner));
    tap_ok(changed < EXCHANGES / 4 && CPU_EQUAL(&others_after, &second),
           "where the other must stay, it stays as well (but for %d of %d times)", changed, EXCHANGES);
    restrict_to(0, &first);
    const bool alone = thread_place_change(places);
    const cpu_set_t after = processors_of(0);
    tap_ok(!alone && CPU_EQUAL(&after, &first), "with one processor there is nowhere to go");
}

/* The second call of a change gives the thread back what it may use. */
static void test_release(struct thread_places *places, const cpu_set_t *usable)
{
    bool refused = true, whole = true;
    for (int calls = 1; calls <= 2; calls++) {
        failing = calls;
        refused = refused && !thread_place_change(places);
        const cpu_set_t after = processors_of(0);
        whole = whole && failing == 0 && CPU_EQUAL(&after, usable);
    }
    tap_ok(refused && whole, "what the system refuses once leaves no thread on one processor");
}

/* The same of the four calls that exchange two. The system may have moved one that it runs beside others. */
static void test_exchange_refused(struct thread_places *places, const cpu_set_t *pair)
{
    const pid_t other = atomic_load(&spinner);
    bool refused = true, whole = true;
    for (int calls = 1; calls <= 4; calls++) {
        bool changed = true;
        failing = calls;
        for (int tries = 0; failing > 0 && tries < EXCHANGES; tries++) {
            failing = 0;
            put_apart(pair);
            restrict_to(other, pair);
            failing = calls;
            changed = thread_place_change(places);
            const cpu_set_t own_after = processors_of(0), others_after = processors_of(other);
            whole = whole && CPU_EQUAL(&own_after, pair) && CPU_EQUAL(&others_after, pair);
        }
        refused = refused && failing == 0 && !changed;
    }
    failing = 0;
    tap_ok(refused && whole, "nor does what it refuses while two are exchanged");
}

static void *sleep_there(void *there)
{
    restrict_to(0, there);
    sem_post(&asleep);
    while (sem_wait(&wake) != 0)
        continue;
    return NULL;
}

/* Of a thread that must stay where it sleeps. */
static void test_sleeper(struct thread_places *places, const cpu_set_t *pair)
{
    cpu_set_t first = nth(pair, 0), second = nth(pair, 1);
    pthread_t thread;
    int changed = 0;
    if (sem_init(&asleep, 0, 0) != 0 || sem_init(&wake, 0, 0) != 0 ||
        pthread_create(&thread, NULL, sleep_there, &second) != 0)
        abort();
    while (sem_wait(&asleep) != 0)
        continue;
    usleep(1000);
    for (int i = 0; i < EXCHANGES; i++) {
        restrict_to(0, &first);
        restrict_to(0, pair);
        changed += thread_place_change(places);
    }
    sem_post(&wake);
    pthread_join(thread, NULL);
    tap_ok(changed > EXCHANGES * 3 / 4, "%d of %d times it goes where another one sleeps", changed, EXCHANGES);
}

/* No more files can be opened: who runs where cannot be seen. */
static void test_unseen(struct thread_places *places, const cpu_set_t *pair)
{
    struct rlimit files, none;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        abort();
    none = files;
    none.rlim_cur = 0;
    restrict_to(0, pair);
    setrlimit(RLIMIT_NOFILE, &none);
    const bool changed = thread_place_change(places);
    setrlimit(RLIMIT_NOFILE, &files);
    tap_ok(!changed, "but not where it cannot see the others");
}

int main(int count, char **arguments)
{
    static struct thread_places places;
    const cpu_set_t usable = processors_of(0);
    pthread_t thread;
    places.seed = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
    printf("# seed %llu\n", (unsigned long long)places.seed);
    if (CPU_COUNT(&usable) < 2) {
        tap_skip("changes of place", "there is one processor");
        return tap_done();
    }
    test_places(&places, &usable);
    test_release(&places, &usable);
    const cpu_set_t first = nth(&usable, 0), second = nth(&usable, 1);
    cpu_set_t pair;
    CPU_OR(&pair, &first, &second);
    if (pthread_create(&thread, NULL, spin, NULL) != 0)
        return 1;
    while (!atomic_load(&spinner))
        sched_yield();
    test_exchange(&places, &pair);
    test_moved(&places, &pair);
    test_exchange_refused(&places, &pair);
    test_refusals(&places, &pair);
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
    test_sleeper(&places, &pair);
    test_unseen(&places, &pair);
    return tap_done();
}

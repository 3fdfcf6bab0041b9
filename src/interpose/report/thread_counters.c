#include "interpose/report/thread_counters.h"
#include "common/clock.h"
#include "interpose/process_state.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

/* Those of the first thread are here, so that a program that is forbidden to ask for memory may call. */
_Static_assert(offsetof(struct thread_counters, forwarded_calls) == 0, "thunks.S counts at the beginning");
static struct thread_counters shared, first;
static struct thread_counters *_Atomic newest = &first;

__thread struct thread_counters *thread_counters_here __attribute__((tls_model("initial-exec")));
static __thread bool has_ended __attribute__((tls_model("initial-exec")));

/* Its destructor tells of a thread's end. */
static pthread_key_t end_key;
static atomic_bool begun;
static bool restarted;
static atomic_bool forked;
static _Atomic uint64_t origin;

/* What a later destructor of the thread calls is counted among those of all: no other would tell of the end
 * of counters that it took. */
static void thread_ends(void *counters)
{
    thread_counters_here = NULL;
    has_ended = true;
    atomic_store_explicit(&((struct thread_counters *)counters)->taken, false, memory_order_release);
}

static void clear(struct thread_counters *counters)
{
    counter *words = counters->forwarded_calls;
    const size_t count = offsetof(struct thread_counters, next) / sizeof *words;
    for (size_t i = 0; i < count; i++)
        if (atomic_load_explicit(&words[i], memory_order_relaxed)) /* what is not written stays no memory */
            atomic_store_explicit(&words[i], 0, memory_order_relaxed);
}

static void note_fork(void)
{
    forked = true;
}

/* The child of a fork reports what it did itself. No other thread runs here. */
static void restart_in_child(void)
{
    restarted = true;
    forked = false;
    origin = clock_nanoseconds();
    clear(&shared);
    for (struct thread_counters *counters = newest; counters; counters = counters->next) {
        clear(counters);
        if (counters != thread_counters_here)
            atomic_store_explicit(&counters->taken, false, memory_order_relaxed);
    }
}

void thread_counters_begin(void)
{
    enum { KEYS_IN_THREAD = 32 }; /* of the C library's; for those above it allocates memory */
    origin = clock_nanoseconds();
    if (pthread_atfork(NULL, note_fork, restart_in_child) == 0 &&
        pthread_key_create(&end_key, thread_ends) == 0 && end_key < KEYS_IN_THREAD)
        atomic_store_explicit(&begun, true, memory_order_release);
}

uint64_t thread_counters_origin(void)
{
    return atomic_load_explicit(&origin, memory_order_relaxed);
}

bool thread_counters_restarted(void)
{
    return restarted;
}

bool thread_counters_forked(void)
{
    return forked;
}

static struct thread_counters *take_ended(void)
{
    for (struct thread_counters *counters = atomic_load(&newest); counters; counters = counters->next) {
        bool taken = atomic_load_explicit(&counters->taken, memory_order_relaxed);
        if (!taken && atomic_compare_exchange_strong(&counters->taken, &taken, true))
            return counters;
    }
    return NULL;
}

/* Not where to ask for memory may kill the thread. */
static struct thread_counters *make(void)
{
    if (process_state_is_filtered())
        return NULL;
    struct thread_counters *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
    atomic_init(&made->taken, true);
    made->next = atomic_load(&newest);
    while (!atomic_compare_exchange_weak(&newest, &made->next, made))
        ;
    return made;
}

/* A signal handler may have taken some for this thread meanwhile. */
static struct thread_counters *take(void)
{
    struct thread_counters *taken = take_ended(), *before = NULL;
    if (!taken)
        taken = make();
    if (!taken)
        return &shared;
    if (!__atomic_compare_exchange_n(&thread_counters_here, &before, taken, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED)) {
        atomic_store_explicit(&taken->taken, false, memory_order_release);
        return before;
    }
    if (pthread_setspecific(end_key, taken) != 0)
        thread_ends(taken);
    return thread_counters_here ? thread_counters_here : &shared;
}

struct thread_counters *thread_counters_own(void)
{
    if (thread_counters_here)
        return thread_counters_here;
    return !has_ended && atomic_load_explicit(&begun, memory_order_acquire) ? take() : &shared;
}

/* Elsewhere than on x86-64, or where ThreadSanitizer is to see it, by what costs a little more. */
static void add_alone(counter *to, uint64_t amount)
{
#if defined __x86_64__ && !defined __SANITIZE_THREAD__
    __asm__("addq %1, %0" : "+m"(*(uint64_t *)to) : "er"(amount) : "cc");
#else
    atomic_fetch_add_explicit(to, amount, memory_order_relaxed);
#endif
}

void thread_counters_add(struct thread_counters *counters, counter *of_those, uint64_t amount)
{
    if (counters == &shared)
        atomic_fetch_add_explicit(of_those, amount, memory_order_relaxed);
    else
        add_alone(of_those, amount);
}

const struct thread_counters *thread_counters_next(const struct thread_counters *previous)
{
    if (!previous)
        return &shared;
    return previous == &shared ? atomic_load(&newest) : previous->next;
}

#include "interpose/report/stats.h"
#include "common/clock.h"
#include "interpose/process_state.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_SHIFT = 20, HALF = TIMELINE_STEPS / 2 };

unsigned timeline_level(uint64_t nanoseconds)
{
    unsigned level = 0;
    while (level < TIMELINE_LEVELS - 1 && nanoseconds >> (FIRST_SHIFT + level) >= TIMELINE_STEPS)
        level++;
    return level;
}

uint64_t timeline_width(unsigned level)
{
    return UINT64_C(1) << (FIRST_SHIFT + level);
}

/* Level 0 has 200 words; each later one has those of its second half alone. */
size_t timeline_cut(uint64_t *from, uint64_t to, uint64_t *part)
{
    const unsigned level = timeline_level(*from);
    const uint64_t step = *from >> (FIRST_SHIFT + level), end = (step + 1) << (FIRST_SHIFT + level);
    const size_t word = level * HALF + (size_t)step;
    const bool is_last = step >= TIMELINE_STEPS - 1 && level == TIMELINE_LEVELS - 1;
    const uint64_t stop = to < end || is_last ? to : end;
    *part = stop - *from;
    *from = stop;
    return word < TIMELINE_WORDS ? word : TIMELINE_WORDS - 1;
}

unsigned timeline_step(size_t word, unsigned level)
{
    const unsigned own_level = word < TIMELINE_STEPS ? 0 : (unsigned)(word - HALF) / HALF;
    const unsigned step = (unsigned)(word - own_level * HALF);
    const unsigned folded = own_level < level ? step >> (level - own_level) : step;
    return folded < TIMELINE_STEPS ? folded : TIMELINE_STEPS - 1;
}

/* In order: what is read between two equal versions is one call's. */
static void store(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_release);
}

static uint64_t load(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

static uint64_t flags_of(const struct large_call *call)
{
    return (uint64_t)call->symbol << 32 | (uint64_t)call->reason << 8 | (uint64_t)call->shape.family << 16 |
           (uint64_t)call->shape.type << 4 | (uint64_t)call->shape.vectors << 1 |
           (uint64_t)call->shape.is_right;
}

static bool begin_writing(struct call_record *record)
{
    uint64_t version = load(&record->version);
    return version % 2 == 0 &&
           atomic_compare_exchange_strong_explicit(&record->version, &version, version + 1,
                                                   memory_order_acquire, memory_order_relaxed);
}

static void write_record(struct call_record *record, const struct large_call *call)
{
    const struct route_shape *const shape = &call->shape;
    const uint64_t words[RECORD_WORDS] = {flags_of(call), call->nanoseconds, (uint64_t)shape->m,
                                          (uint64_t)shape->n, (uint64_t)shape->k, shape->bytes_up,
                                          shape->bytes_down, shape->bytes_kept, 1};
    if (!begin_writing(record))
        return;
    for (int i = 0; i < RECORD_WORDS; i++)
        store(&record->words[i], words[i]);
    atomic_fetch_add_explicit(&record->version, 1, memory_order_release);
}

static void unpack(const uint64_t words[RECORD_WORDS], struct large_call *call)
{
    const uint64_t flags = words[0];
    *call = (struct large_call){.symbol = (enum symbol)(flags >> 32),
                                .reason = (enum host_reason)(flags >> 8 & 0xff), .nanoseconds = words[1]};
    call->shape = (struct route_shape){.family = (enum lapack_family)(flags >> 16 & 0xff),
                                       .type = (enum blas_type)(flags >> 4 & 0xf),
                                       .vectors = flags >> 1 & 1, .is_right = flags & 1,
                                       .m = (int64_t)words[2], .n = (int64_t)words[3],
                                       .k = (int64_t)words[4], .bytes_up = words[5],
                                       .bytes_down = words[6], .bytes_kept = words[7]};
}

bool call_record_read(const struct call_record *record, struct large_call *call)
{
    uint64_t words[RECORD_WORDS];
    const uint64_t version = load(&record->version);
    for (int i = 0; i < RECORD_WORDS; i++)
        words[i] = load(&record->words[i]);
    if (version % 2 || load(&record->version) != version || !words[RECORD_WORDS - 1])
        return false;
    unpack(words, call);
    return true;
}

static bool are_alike(const struct large_call *one, const struct large_call *other)
{
    return one->symbol == other->symbol && one->reason == other->reason && one->shape.m == other->shape.m &&
           one->shape.n == other->shape.n && one->shape.k == other->shape.k;
}

/* The record that the call takes: one alike, else the shortest; *least: the shortest of the others. */
static struct call_record *place_for(struct largest_calls *calls, const struct large_call *call,
                                     uint64_t *least)
{
    struct call_record *place = NULL, *alike = NULL;
    uint64_t shortest = UINT64_MAX, second = UINT64_MAX, of_alike = 0;
    for (int i = 0; i < LARGEST_CALLS; i++) {
        struct large_call there = {.nanoseconds = 0};
        const bool is_full = call_record_read(&calls->of[i], &there);
        if (is_full && are_alike(&there, call)) {
            alike = &calls->of[i];
            of_alike = there.nanoseconds;
        } else if (there.nanoseconds < shortest) {
            second = shortest;
            shortest = there.nanoseconds;
            place = &calls->of[i];
        } else if (there.nanoseconds < second) {
            second = there.nanoseconds;
        }
    }
    *least = alike ? shortest : second;
    if (alike)
        return of_alike < call->nanoseconds ? alike : NULL;
    return shortest < call->nanoseconds ? place : NULL;
}

/* Routine, size and place in one word: two that have the same are taken for one. */
static uint64_t kind_of(const struct large_call *call)
{
    static const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t kind = ((uint64_t)call->symbol << 8 | (uint64_t)call->reason) * odd;
    kind = (kind ^ kind >> 32 ^ (uint64_t)call->shape.m) * odd;
    kind = (kind ^ kind >> 32 ^ (uint64_t)call->shape.n) * odd;
    return (kind ^ kind >> 32 ^ (uint64_t)call->shape.k) * odd;
}

void largest_calls_note(struct largest_calls *calls, const struct large_call *call)
{
    uint64_t least;
    if (call->nanoseconds <= load(&calls->least))
        return;
    const uint64_t kind = kind_of(call);
    struct seen_call *const seen = &calls->seen[kind >> 57];
    if (load(&seen->kind) == kind && call->nanoseconds <= load(&seen->nanoseconds))
        return;
    struct call_record *const place = place_for(calls, call, &least);
    store(&seen->nanoseconds, call->nanoseconds);
    store(&seen->kind, kind);
    if (!place)
        return;
    write_record(place, call);
    store(&calls->least, least < call->nanoseconds ? least : call->nanoseconds);
}

static double size_of(const struct route_shape *shape)
{
    const double k = shape->k > 0 ? (double)shape->k : 1, m = shape->m > 0 ? (double)shape->m : 1;
    return (double)shape->n * m * k;
}

void call_record_note_larger(struct call_record *record, const struct large_call *call)
{
    struct large_call there;
    if (!call_record_read(record, &there) || size_of(&there.shape) < size_of(&call->shape))
        write_record(record, call);
}

int largest_calls_merge(struct large_call *calls, int count, int most, const struct large_call *call)
{
    int place = 0;
    for (int i = 0; i < count; i++)
        if (are_alike(&calls[i], call)) {
            if (calls[i].nanoseconds >= call->nanoseconds)
                return count;
            memmove(&calls[i], &calls[i + 1], (size_t)(--count - i) * sizeof *calls);
        }
    while (place < count && calls[place].nanoseconds >= call->nanoseconds)
        place++;
    if (place == most)
        return count;
    count = count < most ? count + 1 : most;
    memmove(&calls[place + 1], &calls[place], (size_t)(count - 1 - place) * sizeof *calls);
    calls[place] = *call;
    return count;
}

/* The first thread's counters are here, so that a program that is forbidden to ask for memory may call. */
_Static_assert(offsetof(struct thread_counters, forwarded_calls) == 0, "thunks.S counts at the beginning");
static struct thread_counters shared, first;
static struct thread_counters *_Atomic newest = &first;

__thread struct thread_counters *thread_counters_here __attribute__((tls_model("initial-exec")));
static __thread bool has_ended __attribute__((tls_model("initial-exec")));

/* Its destructor tells of a thread's end. */
static pthread_key_t end_key;
static atomic_bool begun;
static void (*first_call)(void);
static atomic_bool first_is_told;
static bool restarted;
static atomic_bool forked;
static _Atomic uint64_t origin;

/* Calls by a later destructor of the thread count among those of all: no other would tell of the end of
 * counters that it took. */
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

void thread_counters_watch(void (*tell)(void))
{
    first_call = tell;
}

static void tell_first_call(void)
{
    if (first_call && !atomic_exchange(&first_is_told, true))
        first_call();
}

/* The child of a fork reports what it did itself. No other thread runs here, and this one takes counters anew
 * at its first call. */
static void restart_in_child(void)
{
    restarted = true;
    forked = false;
    first_is_told = false;
    origin = clock_nanoseconds();
    clear(&shared);
    thread_counters_here = NULL;
    for (struct thread_counters *counters = newest; counters; counters = counters->next) {
        clear(counters);
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
static struct thread_counters *make_counters(void)
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
static struct thread_counters *take_counters(void)
{
    struct thread_counters *taken = take_ended(), *before = NULL;
    tell_first_call();
    if (!taken)
        taken = make_counters();
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
    return !has_ended && atomic_load_explicit(&begun, memory_order_acquire) ? take_counters() : &shared;
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

void thread_counters_keep_forwarded(void)
{
    struct thread_counters *own = thread_counters_here;
    if (own)
        memcpy((void *)own->kept_calls, (const void *)own->forwarded_calls, sizeof own->kept_calls);
}

void thread_counters_return_forwarded(void)
{
    struct thread_counters *own = thread_counters_here;
    if (own)
        memcpy((void *)own->forwarded_calls, (const void *)own->kept_calls, sizeof own->kept_calls);
}

/* coherence.c - a program that uses its memory as programs do, between BLAS calls.
 *
 *   coherence [SEED [STEPS [ORDER [THREADS [cuda|pins|faults]...]]]]     HOST_BLAS=PATH COHERENCE_SECONDS=N
 *
 * Each step changes memory at random (stores, read(2), free and reallocation at
 * the same address, realloc, MADV_DONTNEED, fork, ...) and makes one random BLAS
 * call, which is compared with the host library's own function on a private copy:
 * results within 16 eps times the componentwise bound, all other bytes equal; real and complex.
 * A second part takes a few steps on large matrices; with THREADS > 1 a third has
 * threads that own interleaved rows of the same matrices, and other memory each. The words
 * at the end: from some step on the program uses CUDA itself (and pins memory), and
 * driver calls fail now and then.
 * It knows nothing of mublas: run it with the shim preloaded. The same arguments
 * repeat the same steps, as far as COHERENCE_SECONDS lets them (then the 3 parts take a third of it each). */
#include "coherence_device.h"
#include "coherence_session.h"
#include "tap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STATIC_ELEMENTS = 100003, STACK_ELEMENTS = 40009, ARENAS = 2 * (ARENA_KIND_COUNT + 1) };
enum { THREADS_MOST = 8, SHARED_PER_TYPE = 2, PRIVATE_PER_TYPE = 4 };

enum part { PART_ALONE, PART_LARGE, PART_THREADS, PARTS };

/* Main's orders. */
struct plan {
    uint64_t seed;
    long steps;
    int order, threads, device_uses;
    double seconds;
};

/* The program begins to use CUDA within one of the parts; before that, and in the parts
 * before that, it does not. */
static struct session session_of(const struct plan *plan, enum part part, long steps, struct window *windows,
                                 int windows_per_type)
{
    bool begins = plan->seed % PARTS == (unsigned)part;
    return (struct session){
        .random = {plan->seed + 0x5eed * (unsigned)part}, .seed = plan->seed, .steps = steps,
        .seconds = plan->seconds / PARTS, .order = plan->order, .windows = windows,
        .windows_per_type = windows_per_type, .device_uses = plan->device_uses,
        .begin_step = !begins ? -1 : steps < 900 ? steps / 3 : 300,
    };
}

static double static_doubles[STATIC_ELEMENTS];
static float static_floats[STATIC_ELEMENTS];

/* With COHERENCE_SMALL=1 memory is a quarter, except huge pages: steps take half the time. */
static size_t arena_elements(enum arena_kind kind, bool single)
{
    const char *small = getenv("COHERENCE_SMALL");
    const size_t divisor = small && *small == '1' && kind != ARENA_HUGE ? 4 : 1;
    static const size_t sizes[ARENA_KIND_COUNT] = {
        [ARENA_HEAP] = 150000, [ARENA_SMALL_HEAP] = 9001, [ARENA_PAGES] = 64 * 512, [ARENA_HUGE] = 2 * 262144,
        [ARENA_STATIC] = STATIC_ELEMENTS, [ARENA_STACK] = STACK_ELEMENTS, [ARENA_FILE] = 40 * 512,
        [ARENA_SHARED] = 50 * 512,
    };
    bool whole_pages = kind == ARENA_PAGES || kind == ARENA_HUGE;
    return (whole_pages && single ? 2 * sizes[kind] : sizes[kind]) / divisor;
}

static unsigned long calls_compared;
static long steps_taken;

static void session_report(const struct session *session, const char *name)
{
    bool few = session->steps < (session->in_turn ? 60 : 1000); /* then not every routine has its turn */
    steps_taken += session->steps;
    for (int i = 0; i < TYPES * FAMILIES; i++) {
        const char *routine = family_names[i / TYPES][i % TYPES];
        unsigned long calls = session->calls[i / TYPES][i % TYPES];
        double worst = session->worst[i / TYPES][i % TYPES];
        calls_compared += calls;
        if (routine)
            tap_ok((calls > 0 || few) && worst <= gauge_most, "%s: %s, %lu calls, error at most %.3g of %g",
                   name, routine, calls, worst, gauge_most);
    }
    tap_ok(session->overwritten == 0, "%s: nothing but results was written", name);
}

static void test_one_thread(const struct plan *plan, long steps)
{
    double stack_doubles[STACK_ELEMENTS] = {0};
    float stack_floats[STACK_ELEMENTS] = {0};
    struct arena arenas[ARENAS];
    struct window windows[ARENAS];
    struct session session = session_of(plan, PART_ALONE, steps, windows, ARENAS / 2);
    session.upset_percent = 8;
    for (int i = 0; i < ARENAS; i++) {
        bool single = i >= ARENAS / 2;
        int number = i % (ARENAS / 2);
        enum arena_kind kind = number < ARENA_KIND_COUNT ? (enum arena_kind)number : ARENA_PAGES;
        void *place = kind == ARENA_STATIC ? (single ? (void *)static_floats : (void *)static_doubles)
                                           : (single ? (void *)stack_floats : (void *)stack_doubles);
        arena_create(&arenas[i], kind, single, arena_elements(kind, single), place);
        windows[i] = arena_window(&arenas[i]);
        window_fill(&windows[i], &session.random);
    }
    session_run(&session);
    session_report(&session, "one thread");
}

/* Matrices of tens of megabytes, which are worth pinning, and much happens to their mappings. */
static void test_large(const struct plan *plan, long steps)
{
    enum { ORDER = 1600, PER_TYPE = 3 };
    static const enum arena_kind kinds[PER_TYPE] = {ARENA_HUGE, ARENA_PAGES, ARENA_HEAP};
    struct arena arenas[2 * PER_TYPE];
    struct window windows[2 * PER_TYPE];
    struct session session = session_of(plan, PART_LARGE, steps, windows, PER_TYPE);
    session.order = ORDER;
    session.upset_percent = 15;
    session.in_turn = true;
    for (int i = 0; i < 2 * PER_TYPE; i++) {
        bool single = i >= PER_TYPE;
        size_t megabytes = kinds[i % PER_TYPE] == ARENA_HEAP ? 1 : 22;
        arena_create(&arenas[i], kinds[i % PER_TYPE], single, (megabytes << 20) / (single ? 4 : 8), NULL);
        windows[i] = arena_window(&arenas[i]);
        window_fill(&windows[i], &session.random);
    }
    session_run(&session);
    session_report(&session, "large");
}

/* A thread's own memory, beside its rows of what all share. */
static void create_private(struct arena arenas[], struct window windows[], struct random *random)
{
    static const enum arena_kind kinds[PRIVATE_PER_TYPE] = {ARENA_HEAP, ARENA_PAGES, ARENA_SMALL_HEAP,
                                                            ARENA_PAGES};
    for (int i = 0; i < 2 * PRIVATE_PER_TYPE; i++) {
        bool single = i >= PRIVATE_PER_TYPE;
        enum arena_kind kind = kinds[i % PRIVATE_PER_TYPE];
        arena_create(&arenas[i], kind, single, arena_elements(kind, single), NULL);
        arenas[i].in_threads = true;
        int at = SHARED_PER_TYPE + i + (single ? SHARED_PER_TYPE : 0);
        windows[at] = arena_window(&arenas[i]);
        window_fill(&windows[at], random);
    }
}

/* Each thread owns some rows of every column of shared matrices, where pages are shared and
 * elements are not, and memory of its own, whose mappings it changes while others compute. */
static void test_threads(const struct plan *plan, long steps)
{
    enum { ROWS = 150, COLUMNS = 300, PER_TYPE = SHARED_PER_TYPE + PRIVATE_PER_TYPE };
    struct arena shared[2 * SHARED_PER_TYPE], private[THREADS_MOST][2 * PRIVATE_PER_TYPE];
    struct window windows[THREADS_MOST][2 * PER_TYPE];
    struct session sessions[THREADS_MOST];
    pthread_t handles[THREADS_MOST];
    size_t ld = (size_t)plan->threads * ROWS + 4; /* even, as complex elements want it */
    for (int i = 0; i < 2 * SHARED_PER_TYPE; i++)
        arena_create(&shared[i], i % 2 ? ARENA_HEAP : ARENA_PAGES, i >= SHARED_PER_TYPE, ld * COLUMNS, NULL);
    for (int t = 0; t < plan->threads; t++) {
        sessions[t] = session_of(plan, PART_THREADS, steps / plan->threads, windows[t], PER_TYPE);
        sessions[t].random.state += 1000003u * (unsigned)t;
        sessions[t].upset_percent = 8;
        for (int i = 0; i < 2 * SHARED_PER_TYPE; i++) {
            int at = i + (i >= SHARED_PER_TYPE ? PRIVATE_PER_TYPE : 0);
            windows[t][at] = (struct window){&shared[i], (size_t)t * ROWS, ROWS, COLUMNS, ld};
            window_fill(&windows[t][at], &sessions[t].random);
        }
        create_private(private[t], windows[t], &sessions[t].random);
    }
    for (int t = 0; t < plan->threads; t++)
        must(pthread_create(&handles[t], NULL, session_run, &sessions[t]) == 0, "pthread_create");
    for (int t = 0; t < plan->threads; t++) {
        char name[20];
        pthread_join(handles[t], NULL);
        snprintf(name, sizeof name, "thread %d", t);
        session_report(&sessions[t], name);
    }
}

static int read_words(int count, char **words)
{
    int uses = 0;
    for (int i = 0; i < count; i++)
        uses |= strcmp(words[i], "cuda") == 0   ? DEVICE_COPIES
                : strcmp(words[i], "pins") == 0 ? DEVICE_COPIES | DEVICE_PINS
                : strcmp(words[i], "faults") == 0 ? DEVICE_FAULTS
                                                  : 0;
    return uses;
}

int main(int count, char **arguments)
{
    struct plan plan = {.seed = count > 1 ? strtoull(arguments[1], NULL, 0) : 1,
                        .steps = count > 2 ? atol(arguments[2]) : 10000,
                        .order = count > 3 ? atoi(arguments[3]) : 200,
                        .threads = count > 4 ? atoi(arguments[4]) : 2};
    const char *host = getenv("HOST_BLAS"), *seconds = getenv("COHERENCE_SECONDS");
    plan.seconds = seconds ? atof(seconds) : 0;
    if (plan.threads > THREADS_MOST)
        plan.threads = THREADS_MOST;
    plan.device_uses = count > 5 ? read_words(count - 5, arguments + 5) : 0;
    printf("# coherence %llu %ld %d %d\n", (unsigned long long)plan.seed, plan.steps, plan.order,
           plan.threads);
    if (!tap_ok(functions_find(host && *host ? host : "libblas.so.3"),
                "the BLAS under test is not the host's own"))
        return tap_done();
    test_one_thread(&plan, plan.steps);
    test_large(&plan, plan.steps / 40);
    const bool disturbed = child_was_disturbed(); /* threads would wait for the same child */
    if (plan.threads > 1)
        test_threads(&plan, plan.steps / 4);
    tap_ok(!disturbed && !child_was_disturbed(), "no child's memory was changed");
    disturbances_print();
    printf("# steps: %ld, calls compared: %lu\n", steps_taken, calls_compared);
    return tap_done();
}

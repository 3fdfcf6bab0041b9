/* coherence.c - a program that uses its memory as programs do, between BLAS calls.
 *
 *   coherence [SEED [STEPS [ORDER [THREADS]]]]     HOST_BLAS=PATH
 *
 * Each step changes memory at random (stores, read(2), free and reallocation at
 * the same address, realloc, MADV_DONTNEED, fork, ...) and makes one random BLAS
 * call, which is compared with the host library's own function on a private copy:
 * results within 16 eps times the componentwise bound, all other bytes equal; real and complex.
 * A second part takes a few steps on large matrices; with THREADS > 1 a third has
 * threads that own interleaved rows of the same matrices.
 * It knows nothing of mublas: run it with the shim preloaded. The same arguments
 * repeat the same steps. */
#include "coherence_call.h"
#include "tap.h"

#include <pthread.h>
#include <string.h>

enum { STATIC_ELEMENTS = 100003, STACK_ELEMENTS = 40009, ARENAS = 2 * (ARENA_KIND_COUNT + 1), THREADS_MOST = 8 };

struct session {
    struct random random;
    uint64_t seed;
    long steps;
    int order;
    struct window *windows; /* of double elements, then as many of float */
    int windows_per_type;
    struct arena *arenas; /* whole arenas, which may be upset; NULL in threads */
    unsigned upset_percent;
    bool in_turn;
    unsigned long calls[FAMILIES][TYPES];
    double worst[FAMILIES][TYPES];
    unsigned long failures, overwritten;
};

static const double gauge_most = 16;

static double static_doubles[STATIC_ELEMENTS];
static float static_floats[STATIC_ELEMENTS];

static size_t arena_elements(enum arena_kind kind, bool single)
{
    static const size_t sizes[ARENA_KIND_COUNT] = {
        [ARENA_HEAP] = 150000, [ARENA_SMALL_HEAP] = 9001, [ARENA_PAGES] = 64 * 512, [ARENA_HUGE] = 2 * 262144,
        [ARENA_STATIC] = STATIC_ELEMENTS, [ARENA_STACK] = STACK_ELEMENTS, [ARENA_FILE] = 40 * 512,
        [ARENA_SHARED] = 50 * 512,
    };
    bool whole_pages = kind == ARENA_PAGES || kind == ARENA_HUGE;
    return whole_pages && single ? 2 * sizes[kind] : sizes[kind];
}

static void upset_one(struct session *session, int index)
{
    struct arena *arena = &session->arenas[index], *other = NULL;
    int per_type = session->windows_per_type;
    for (int i = index / per_type * per_type; i < (index / per_type + 1) * per_type; i++)
        if (i != index && session->arenas[i].kind == arena->kind)
            other = &session->arenas[i];
    arena_upset(arena, other, &session->random);
    session->windows[index] = arena_window(arena);
    if (random_chance(&session->random, 60))
        window_fill(&session->windows[index], &session->random);
}

static void disturb(struct session *session, int first)
{
    struct random *random = &session->random;
    int index = first + (int)random_below(random, (size_t)session->windows_per_type);
    if (session->arenas && random_chance(random, session->upset_percent))
        upset_one(session, index);
    for (size_t i = random_below(random, 3); i > 0; i--)
        window_disturb(&session->windows[index], random);
}

static void report_failure(struct session *session, long step, const char *what)
{
    if (session->failures + session->overwritten <= 10)
        printf("# seed %llu, step %ld: %s\n", (unsigned long long)session->seed, step, what);
}

/* Nothing but the result may have changed. */
static void check_untouched(struct session *session, long step, const struct window *window)
{
    int64_t index = window_difference(window);
    if (index < 0)
        return;
    session->overwritten++;
    char what[100];
    snprintf(what, sizeof what, "element %lld of %s (%s) changed", (long long)index,
             arena_kind_names[window->arena->kind], window->arena->single ? "float" : "double");
    report_failure(session, step, what);
    struct arena *arena = window->arena; /* go on with what is there, so that one fault is one failure */
    size_t bytes = arena_element_bytes(arena);
    for (size_t j = 0; j < window->columns; j++)
        memcpy(arena->shadow + (window->first + j * window->ld) * bytes,
               arena->memory + (window->first + j * window->ld) * bytes, window->rows * bytes);
}

/* A routine: at random, or where steps are few one after the other. The type. */
static int choose_routine(struct session *session, long step, enum family *family)
{
    struct random *random = &session->random;
    int type = (random_chance(random, 40) ? SINGLE : 0) | (random_chance(random, 40) ? COMPLEX : 0);
    *family = (enum family)random_below(random, FAMILIES);
    if (session->in_turn) {
        type = (int)(step % TYPES);
        *family = (enum family)(step / TYPES % FAMILIES);
    }
    return type;
}

static void run_step(struct session *session, long step, struct place recent[TYPES])
{
    struct random *random = &session->random;
    enum family family;
    int type = choose_routine(session, step, &family), first = type & SINGLE ? session->windows_per_type : 0;
    struct window chosen[3];
    struct call call;
    if (random_chance(random, 60))
        disturb(session, first);
    for (int i = 0; i < 3; i++)
        chosen[i] = session->windows[first + (int)random_below(random, (size_t)session->windows_per_type)];
    const struct place *again = NULL;
    if (recent[type].arena && random_chance(random, 65)) {
        again = &recent[type];
        for (int i = 0; i < session->windows_per_type; i++)
            if (session->windows[first + i].arena == again->arena)
                chosen[0] = session->windows[first + i];
    }
    if (!call_choose(&call, family, type & COMPLEX, chosen, again, session->order, random))
        return;
    if (call.a.arena && !again && family != SYR2K && family != GEMM)
        recent[type] = call.a;
    double gauge = call_check(&call, random);
    session->calls[family][type]++;
    if (gauge > session->worst[family][type])
        session->worst[family][type] = gauge;
    if (!(gauge <= gauge_most)) {
        session->failures++;
        char what[60];
        snprintf(what, sizeof what, "%.3g times eps times the bound", gauge);
        report_failure(session, step, what);
        if (session->failures <= 10)
            call_print(&call);
    }
    for (int i = 0; i < 3; i++)
        check_untouched(session, step, &chosen[i]);
}

static void *run_session(void *argument)
{
    struct session *session = argument;
    struct place recent[TYPES] = {{0}};
    for (long step = 0; step < session->steps; step++) {
        run_step(session, step, recent);
        if (step % 100 == 99)
            for (int i = 0; i < 2 * session->windows_per_type; i++)
                check_untouched(session, step, &session->windows[i]);
    }
    return NULL;
}

static void report_session(const struct session *session, const char *name)
{
    for (int i = 0; i < TYPES * FAMILIES; i++) {
        const char *routine = family_names[i / TYPES][i % TYPES];
        unsigned long calls = session->calls[i / TYPES][i % TYPES];
        double worst = session->worst[i / TYPES][i % TYPES];
        if (routine)
            tap_ok(calls > 0 && worst <= gauge_most, "%s: %s, %lu calls, error at most %.3g of %g", name, routine, calls,
                   worst, gauge_most);
    }
    tap_ok(session->overwritten == 0, "%s: nothing but results was written", name);
}

static void test_one_thread(uint64_t seed, long steps, int order)
{
    double stack_doubles[STACK_ELEMENTS] = {0};
    float stack_floats[STACK_ELEMENTS] = {0};
    struct arena arenas[ARENAS];
    struct window windows[ARENAS];
    struct session session = {.random = {seed}, .seed = seed, .steps = steps, .order = order, .windows = windows,
                              .windows_per_type = ARENAS / 2, .arenas = arenas, .upset_percent = 8};
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
    run_session(&session);
    report_session(&session, "one thread");
}

/* Matrices of tens of megabytes, which are worth pinning, and much happens to their mappings. */
static void test_large(uint64_t seed, long steps)
{
    enum { ORDER = 1600, PER_TYPE = 3 };
    static const enum arena_kind kinds[PER_TYPE] = {ARENA_HUGE, ARENA_PAGES, ARENA_HEAP};
    struct arena arenas[2 * PER_TYPE];
    struct window windows[2 * PER_TYPE];
    struct session session = {.random = {seed}, .seed = seed, .steps = steps, .order = ORDER, .windows = windows,
                              .windows_per_type = PER_TYPE, .arenas = arenas, .upset_percent = 15, .in_turn = true};
    for (int i = 0; i < 2 * PER_TYPE; i++) {
        bool single = i >= PER_TYPE;
        size_t megabytes = kinds[i % PER_TYPE] == ARENA_HEAP ? 1 : 22;
        arena_create(&arenas[i], kinds[i % PER_TYPE], single, (megabytes << 20) / (single ? 4 : 8), NULL);
        windows[i] = arena_window(&arenas[i]);
        window_fill(&windows[i], &session.random);
    }
    run_session(&session);
    report_session(&session, "large");
}

/* Each thread owns some rows of every column: pages are shared, elements are not. */
static void test_threads(uint64_t seed, long steps, int order, int threads)
{
    enum { ROWS = 150, COLUMNS = 300, PER_TYPE = 2 };
    struct arena arenas[2 * PER_TYPE];
    struct window windows[THREADS_MOST][2 * PER_TYPE];
    struct session sessions[THREADS_MOST];
    pthread_t handles[THREADS_MOST];
    size_t ld = (size_t)threads * ROWS + 4; /* even, as complex elements want it */
    for (int i = 0; i < 2 * PER_TYPE; i++)
        arena_create(&arenas[i], i % 2 ? ARENA_HEAP : ARENA_PAGES, i >= PER_TYPE, ld * COLUMNS, NULL);
    for (int t = 0; t < threads; t++) {
        sessions[t] = (struct session){.random = {seed + 1000003u * (unsigned)t}, .seed = seed, .steps = steps / threads,
                                       .order = order, .windows = windows[t], .windows_per_type = PER_TYPE};
        for (int i = 0; i < 2 * PER_TYPE; i++) {
            windows[t][i] = (struct window){&arenas[i], (size_t)t * ROWS, ROWS, COLUMNS, ld};
            window_fill(&windows[t][i], &sessions[t].random);
        }
    }
    for (int t = 0; t < threads; t++)
        if (pthread_create(&handles[t], NULL, run_session, &sessions[t]) != 0)
            abort();
    for (int t = 0; t < threads; t++) {
        char name[20];
        pthread_join(handles[t], NULL);
        snprintf(name, sizeof name, "thread %d", t);
        report_session(&sessions[t], name);
    }
}

int main(int count, char **arguments)
{
    uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 0) : 1;
    long steps = count > 2 ? atol(arguments[2]) : 10000;
    int order = count > 3 ? atoi(arguments[3]) : 200, threads = count > 4 ? atoi(arguments[4]) : 2;
    const char *host = getenv("HOST_BLAS");
    if (threads > THREADS_MOST)
        threads = THREADS_MOST;
    printf("# coherence %llu %ld %d %d\n", (unsigned long long)seed, steps, order, threads);
    if (!tap_ok(functions_find(host && *host ? host : "libblas.so.3"), "the BLAS under test is not the host's own"))
        return tap_done();
    test_one_thread(seed, steps, order);
    test_large(seed + 2, steps / 40);
    if (threads > 1)
        test_threads(seed + 1, steps / 4, order, threads);
    disturbances_print();
    return tap_done();
}

#include "coherence_session.h"

#include "coherence_device.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void upset_one(struct session *session, int index)
{
    struct arena *arena = session->windows[index].arena, *other = NULL;
    int per_type = session->windows_per_type;
    for (int i = index / per_type * per_type; i < (index / per_type + 1) * per_type; i++)
        if (i != index && session->windows[i].arena->kind == arena->kind &&
            window_is_whole_arena(&session->windows[i]))
            other = session->windows[i].arena;
    arena_upset(arena, other, &session->random);
    session->windows[index] = arena_window(arena); /* a swap leaves the other's size */
    if (random_chance(&session->random, 60))
        window_fill(&session->windows[index], &session->random);
}

static void disturb(struct session *session, int first)
{
    struct random *random = &session->random;
    int index = first + (int)random_below(random, (size_t)session->windows_per_type);
    if (random_chance(random, session->upset_percent) && window_is_whole_arena(&session->windows[index]))
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
    char what[200];
    size_t differing = 0, last = (size_t)index, bytes = arena_element_bytes(window->arena);
    const char *memory = window->arena->memory, *shadow = window->arena->shadow;
    for (size_t j = 0; j < window->columns; j++)
        for (size_t at = window->first + j * window->ld, i = 0; i < window->rows; i++, at++)
            if (memcmp(memory + at * bytes, shadow + at * bytes, bytes) != 0)
                differing++, last = at;
    snprintf(
        what, sizeof what, "%zu elements, %lld to %zu of %zu of %s (%s) changed, the first from %g to %g",
        differing, (long long)index, last, window->arena->size, arena_kind_names[window->arena->kind],
        window->arena->single ? "float" : "double", element_get(shadow, window->arena->single, (size_t)index),
        element_get(memory, window->arena->single, (size_t)index));
    report_failure(session, step, what);
    disturbances_print_latest();
    struct arena *arena = window->arena; /* go on with what is there, so that one fault is one failure */
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
    if (session->rewrites > 0) {
        session->rewrites--;
        return session->rewritten_type;
    }
    if (random_chance(random, 1)) {
        session->rewrites = 1 + (int)random_below(random, 12);
        session->rewritten_type = type;
    }
    if (session->in_turn) {
        type = (int)(step % TYPES);
        *family = (enum family)(step / TYPES % FAMILIES);
    }
    return type;
}

/* Disturbances of the whole program, not of some memory. */
static void begin_step(struct session *session, long step)
{
    if (step == session->begin_step && session->device_uses & DEVICE_COPIES)
        device_begin(session->device_uses & ~DEVICE_FAULTS);
    if (step == 100 && session->device_uses & DEVICE_FAULTS)
        device_begin(DEVICE_FAULTS);
    if (random_chance(&session->random, 3))
        device_fault(&session->random);
    if (random_chance(&session->random, 3) && child_was_disturbed())
        session->overwritten++;
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
    const bool rewritten = session->rewrites > 0 && session->rewritten_type == type;
    if (recent[type].arena && (rewritten || random_chance(random, 65))) {
        again = &recent[type];
        for (int i = 0; i < session->windows_per_type; i++)
            if (session->windows[first + i].arena == again->arena)
                chosen[0] = session->windows[first + i];
        if (rewritten && random_chance(random, 85)) {
            window_fill(&chosen[0], random);
            disturbance_count(REWRITTEN);
        }
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
        if (session->failures <= 10) {
            call_print(&call);
            disturbances_print_latest();
        }
    }
    for (int i = 0; i < 3 && step % 4 == 3; i++) /* half of the time would go into more of this */
        check_untouched(session, step, &chosen[i]);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void *session_run(void *argument)
{
    struct session *session = argument;
    struct place recent[TYPES] = {{0}};
    const double end = seconds_now() + session->seconds;
    long step = 0;
    for (; step < session->steps && (session->seconds == 0 || seconds_now() < end); step++) {
        begin_step(session, step);
        run_step(session, step, recent);
        if (step % 100 == 99)
            for (int i = 0; i < 2 * session->windows_per_type; i++)
                check_untouched(session, step, &session->windows[i]);
    }
    session->steps = step;
    return NULL;
}

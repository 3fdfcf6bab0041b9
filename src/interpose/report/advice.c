#include "interpose/report/advice.h"
#include "interpose/report/advice_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct giving {
    const struct advice_facts *facts;
    advice_take *take;
    void *context;
    int *said; /* sentences */
};

__attribute__((format(printf, 2, 3))) static void say(const struct giving *giving, const char *format, ...)
{
    char *sentence = NULL;
    va_list values;
    va_start(values, format);
    const int length = vasprintf(&sentence, format, values);
    va_end(values);
    if (length >= 0)
        giving->take(giving->context, sentence);
    ++*giving->said;
    free(length >= 0 ? sentence : NULL);
}

/* Less is 0.000 where seconds are printed. */
static const double LEAST_TOLD = 0.0005;

enum kind { KIND_BLAS, KIND_LAPACK, KIND_ANY };

static bool is_of(const struct advice_routine *routine, enum kind kind)
{
    return kind == KIND_ANY || routine->is_lapack == (kind == KIND_LAPACK);
}

/* Without the calls that it makes, which are told themselves: so that parts add up to their sum. */
static double own_seconds(const struct advice_routine *routine, int reason)
{
    return routine->seconds[reason] - routine->inside_seconds[reason];
}

/* Over all routines of a kind, each second once. */
static double seconds_for(const struct advice_facts *facts, enum host_reason reason, enum kind kind)
{
    double sum = 0;
    for (int i = 0; i < facts->count; i++)
        if (is_of(&facts->routines[i], kind))
            sum += own_seconds(&facts->routines[i], reason);
    return sum;
}

static uint64_t calls_for(const struct advice_facts *facts, enum host_reason reason, enum kind kind)
{
    uint64_t sum = 0;
    for (int i = 0; i < facts->count; i++)
        if (is_of(&facts->routines[i], kind))
            sum += facts->routines[i].calls[reason];
    return sum;
}

static void say_device(const struct giving *giving)
{
    const struct advice_facts *const facts = giving->facts;
    const double waiting =
        seconds_for(facts, HOST_NOT_OPENED, KIND_ANY) + seconds_for(facts, HOST_REWRITTEN, KIND_ANY);
    switch (facts->device) {
    case ADVICE_DEVICE_USED: break;
    case ADVICE_DEVICE_ASLEEP:
        if (calls_for(facts, HOST_NOT_OPENED, KIND_ANY))
            say(giving, "The GPU was not woken: calls that took %.3f s on the host would not have saved what "
                        "waking it takes.", waiting);
        break;
    case ADVICE_DEVICE_READY:
        say(giving, "The program ended before the GPU was in use: calls took %.3f s on the host while it was "
                    "being woken or not paid for yet. A longer run would use it.", waiting);
        break;
    case ADVICE_DEVICE_NONE:
        say(giving, "No GPU could be used: %s. %s", facts->device_fault ? facts->device_fault : "MUBLAS_VERBOSE=2 says why",
            advice_device_remedy(facts->device_fault));
        break;
    case ADVICE_DEVICE_LOST:
        say(giving, "The GPU was given up in the middle of the run; MUBLAS_VERBOSE=1 says why.");
        break;
    }
}

static void say_tracking(const struct giving *giving)
{
    const struct advice_facts *const facts = giving->facts;
    const char *const fault = facts->tracking_fault ? facts->tracking_fault : "unknown";
    switch (facts->tracking) {
    case ADVICE_TRACKS: break;
    case ADVICE_TRACKING_OFF:
        say(giving, "MUBLAS_TRACKING=0: no matrix stays on the GPU, each call sends its own.");
        break;
    case ADVICE_TRACKING_IMPOSSIBLE:
        say(giving, "This process could not track writes (%s), so no matrix stays on the GPU: %s.", fault,
            advice_tracking_remedy(fault));
        break;
    case ADVICE_TRACKING_BLIND:
        say(giving, "No matrix stays on the GPU, since this process uses memory that can be written unseen "
                    "(RDMA, XPMEM, pins of others). If that is never a matrix, set MUBLAS_TRUST_TRACKING=1.");
        break;
    }
}

static void say_recipe(const struct giving *giving)
{
    if (giving->facts->has_recipe || giving->facts->device != ADVICE_DEVICE_USED)
        return;
    say(giving, "No recipe of this machine is in force, so which sizes pay was not measured here: run "
                "mublas tune once.");
}

static void say_unreachable(const struct giving *giving)
{
    const struct advice_facts *const facts = giving->facts;
    if (!facts->was_called)
        say(giving, "This program made no BLAS or LAPACK call that mublas could see.%s",
            facts->unreachable ? "" : " mublas info -- PROGRAM lists those that it could make.");
    if (facts->unreachable)
        say(giving, "Not interceptable, so not in this report: %s.", facts->unreachable);
}

/* A program with calls of its own starts others for many a reason; what it forked, it may have forked for its
 * calls. */
static void say_others(const struct giving *giving)
{
    const struct advice_facts *const facts = giving->facts;
    if (!facts->was_called && facts->has_started_others)
        say(giving, "It started other processes, which report for themselves: a fork's child to a name of its own, "
                    "FILE.PID. %s", advice_silent_children);
    else if (facts->was_called && facts->has_forked)
        say(giving, "Processes that it forked report for themselves, each to a name of its own, FILE.PID. %s",
            advice_silent_children);
}

static void say_faster(const struct giving *giving, const struct advice_routine *routine, const char *spent)
{
    char size[96];
    advice_print_size(size, sizeof size, routine);
    if (routine->pays_from > routine->n && routine->n > 0)
        say(giving, "%s: %s; the largest, of order %lld, is below the order that pays here: %lld.",
            routine->name, spent, routine->n, routine->pays_from);
    else if (routine->n > 0)
        say(giving, "%s: %s, because the host was predicted to be faster; the largest was %s.", routine->name,
            spent, size);
    else
        say(giving, "%s: %s, because the host was predicted to be faster.", routine->name, spent);
}

static void say_routine(const struct giving *giving, const struct advice_routine *routine, int reason)
{
    char spent[160];
    advice_print_spent(spent, sizeof spent, routine, reason);
    if (reason == HOST_FASTER)
        say_faster(giving, routine, spent);
    else if (reason == HOST_VARIANT)
        say(giving, "%s: %s, because of %s, which its routine on the GPU does not have.", routine->name,
            spent, routine->variant ? routine->variant : "an argument");
    else
        say(giving, "%s: %s, because %s.%s", routine->name, spent,
            advice_because(giving->facts, (enum host_reason)reason, routine->is_lapack),
            advice_remedy(giving->facts, (enum host_reason)reason, routine->is_lapack));
}

/* What many routines have: one sentence for all of a kind. */
static bool is_told_together(int reason)
{
    switch (reason) {
    case HOST_FORWARDED:
    case HOST_BELOW_FLOOR:
    case HOST_ARGUMENTS:
    case HOST_SWITCHED_OFF:
    case HOST_NOT_OPENED:
    case HOST_UNSUPPORTED:
    case HOST_NO_DEVICE: return true;
    default: return false;
    }
}

static int by_seconds(const void *one, const void *other, void *reason)
{
    const int which = *(const int *)reason;
    const struct advice_routine *const a = *(const struct advice_routine *const *)one;
    const struct advice_routine *const b = *(const struct advice_routine *const *)other;
    const double difference = own_seconds(b, which) - own_seconds(a, which);
    return difference != 0 ? (difference > 0 ? 1 : -1) : (a > b) - (a < b);
}

/* "zhemv 1.131 s (2), zheevx (7)": the costliest first. */
static void print_routines(FILE *stream, const struct advice_facts *facts, int reason, enum kind kind)
{
    int count = 0;
    const struct advice_routine **const sorted = calloc((size_t)facts->count + 1, sizeof *sorted);
    for (int i = 0; sorted && i < facts->count; i++)
        if (facts->routines[i].calls[reason] && is_of(&facts->routines[i], kind))
            sorted[count++] = &facts->routines[i];
    if (count)
        qsort_r(sorted, (size_t)count, sizeof *sorted, by_seconds, &reason);
    for (int i = 0; i < count; i++) {
        fprintf(stream, "%s%s", i ? ", " : "", sorted[i]->name);
        if (own_seconds(sorted[i], reason) >= LEAST_TOLD)
            fprintf(stream, " %.3f s", own_seconds(sorted[i], reason));
        fprintf(stream, " (%llu)", (unsigned long long)sorted[i]->calls[reason]);
    }
    free(sorted);
}

static bool has_inside(const struct advice_facts *facts, enum host_reason reason, enum kind kind)
{
    for (int i = 0; i < facts->count; i++)
        if (is_of(&facts->routines[i], kind) && facts->routines[i].inside_seconds[reason] > 0)
            return true;
    return false;
}

static void say_together(const struct giving *giving, enum host_reason reason, enum kind kind)
{
    char *names = NULL;
    size_t length;
    const double seconds = seconds_for(giving->facts, reason, kind);
    const char *const because = advice_because(giving->facts, reason, kind == KIND_LAPACK);
    const char *const remedy = advice_remedy(giving->facts, reason, kind == KIND_LAPACK);
    FILE *stream = calls_for(giving->facts, reason, kind) ? open_memstream(&names, &length) : NULL;
    if (!stream)
        return;
    print_routines(stream, giving->facts, reason, kind);
    if (fclose(stream) == 0 && seconds >= LEAST_TOLD)
        say(giving, "%.3f s of calls on the host, because %s: %s.%s%s", seconds, because, names, remedy,
            has_inside(giving->facts, reason, kind) ? advice_without_inside : "");
    else
        say(giving, "Calls on the host, because %s (%s): %s.%s", because,
            seconds > 0 ? "less than a millisecond was timed" : "not timed", names, remedy);
    free(names);
}

struct loss {
    const struct advice_routine *routine;
    int reason;
};

static int by_cost(const void *one, const void *other)
{
    const struct loss *const a = one, *const b = other;
    const double difference = b->routine->seconds[b->reason] - a->routine->seconds[a->reason];
    if (difference != 0)
        return difference > 0 ? 1 : -1;
    return a->routine != b->routine ? (a->routine > b->routine) - (a->routine < b->routine)
                                    : a->reason - b->reason;
}

static void say_routines(const struct giving *giving)
{
    const struct advice_facts *const facts = giving->facts;
    size_t count = 0;
    struct loss *const losses = malloc((size_t)facts->count * HOST_REASON_COUNT * sizeof *losses);
    for (int i = 0; losses && i < facts->count; i++)
        for (int reason = 0; reason < HOST_REASON_COUNT; reason++)
            if (facts->routines[i].calls[reason] && !is_told_together(reason))
                losses[count++] = (struct loss){&facts->routines[i], reason};
    if (count)
        qsort(losses, count, sizeof *losses, by_cost);
    for (size_t i = 0; i < count; i++)
        say_routine(giving, losses[i].routine, losses[i].reason);
    free(losses);
}

void advice_give(const struct advice_facts *facts, advice_take *take, void *context)
{
    int said = 0;
    const struct giving giving = {facts, take, context, &said};
    say_unreachable(&giving);
    say_others(&giving);
    say_device(&giving);
    say_tracking(&giving);
    say_together(&giving, HOST_NO_DEVICE, KIND_ANY);
    say_together(&giving, HOST_UNSUPPORTED, KIND_LAPACK);
    say_together(&giving, HOST_UNSUPPORTED, KIND_BLAS);
    say_together(&giving, HOST_NOT_OPENED, KIND_ANY);
    say_routines(&giving);
    say_together(&giving, HOST_SWITCHED_OFF, KIND_ANY);
    say_together(&giving, HOST_BELOW_FLOOR, KIND_ANY);
    say_together(&giving, HOST_ARGUMENTS, KIND_ANY);
    say_together(&giving, HOST_FORWARDED, KIND_ANY);
    say_recipe(&giving);
    if (!said)
        say(&giving, "Nothing: all calls ran on the GPU, by a recipe of this machine.");
}

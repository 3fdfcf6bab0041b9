#include "interpose/report/advice.h"
#include "interpose/report/advice_giving.h"
#include "interpose/report/advice_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void advice_say(const struct advice_giving *giving, const char *format, ...)
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

static void say_device(const struct advice_giving *giving)
{
    const struct advice_facts *const facts = giving->facts;
    const double waiting = advice_seconds_for(facts, HOST_NOT_OPENED, ADVICE_KIND_ANY) +
                           advice_seconds_for(facts, HOST_REWRITTEN, ADVICE_KIND_ANY);
    switch (facts->device) {
    case ADVICE_DEVICE_USED: break;
    case ADVICE_DEVICE_ASLEEP:
        if (advice_calls_for(facts, HOST_NOT_OPENED, ADVICE_KIND_ANY))
            advice_say(giving,
                       "The GPU was not woken: calls that took %.3f s on the host would not have saved what "
                       "waking it takes.",
                       waiting);
        break;
    case ADVICE_DEVICE_READY:
        advice_say(giving,
                   "The program ended before the GPU was in use: calls took %.3f s on the host while it was "
                   "being woken or not paid for yet. A longer run would use it.",
                   waiting);
        break;
    case ADVICE_DEVICE_NONE:
        advice_say(giving, "No GPU could be used: %s. %s",
                   facts->device_fault ? facts->device_fault : "MUBLAS_VERBOSE=2 says why",
                   advice_device_remedy(facts->device_fault));
        break;
    case ADVICE_DEVICE_LOST:
        advice_say(giving, "The GPU was given up in the middle of the run; a line on standard error says why "
                           "(MUBLAS_VERBOSE=0 hides it).");
        break;
    }
}

static void say_tracking(const struct advice_giving *giving)
{
    const struct advice_facts *const facts = giving->facts;
    const char *const fault = facts->tracking_fault ? facts->tracking_fault : "unknown";
    switch (facts->tracking) {
    case ADVICE_TRACKS: break;
    case ADVICE_TRACKING_OFF:
        advice_say(giving, "MUBLAS_TRACKING=0: no matrix stays on the GPU, each call sends its own.");
        break;
    case ADVICE_TRACKING_IMPOSSIBLE:
        advice_say(giving, "This process could not track writes (%s), so no matrix stays on the GPU: %s.",
                   fault, advice_tracking_remedy(fault));
        break;
    case ADVICE_TRACKING_BLIND:
        advice_say(giving,
                   "No matrix stays on the GPU, since this process uses memory that can be written unseen "
                   "(RDMA, XPMEM, pins of others). If that is never a matrix, set MUBLAS_TRUST_TRACKING=1.");
        break;
    }
}

static void say_recipe(const struct advice_giving *giving)
{
    if (giving->facts->has_recipe || giving->facts->device != ADVICE_DEVICE_USED)
        return;
    advice_say(giving, "No recipe of this machine is in force, so which sizes pay was not measured here: run "
                       "mublas tune once.");
}

static void say_unreachable(const struct advice_giving *giving)
{
    const struct advice_facts *const facts = giving->facts;
    if (!facts->was_called)
        advice_say(giving, "This program made no BLAS or LAPACK call that mublas could see.%s",
                   facts->unreachable ? "" : " mublas info -- PROGRAM lists those that it could make.");
    if (facts->unreachable)
        advice_say(giving, "Not interceptable, so not in this report: %s.", facts->unreachable);
}

/* A program with calls of its own starts others for many a reason; what it forked, it may have forked for its
 * calls. */
static void say_others(const struct advice_giving *giving)
{
    const struct advice_facts *const facts = giving->facts;
    if (!facts->was_called && facts->has_started_others)
        advice_say(
            giving,
            "It started other processes, which report for themselves: a fork's child to a name of its own, "
            "FILE.PID. %s",
            advice_silent_children);
    else if (facts->was_called && facts->has_forked)
        advice_say(giving,
                   "Processes that it forked report for themselves, each to a name of its own, FILE.PID. %s",
                   advice_silent_children);
}

static void say_nothing(const struct advice_giving *giving)
{
    const struct parallel_report *const parallel = giving->facts->parallel;
    if (parallel && parallel->has_owner && !parallel->owner_is_here)
        advice_say(giving, "Nothing: all calls ran on the GPU, by process %ld, rank %d.", parallel->owner,
                   parallel->owner_rank);
    else
        advice_say(giving, "Nothing: all calls ran on the GPU, by a recipe of this machine.");
}

void advice_give(const struct advice_facts *facts, advice_take *take, void *context)
{
    int said = 0;
    const struct advice_giving giving = {facts, take, context, &said};
    say_unreachable(&giving);
    say_others(&giving);
    say_device(&giving);
    advice_say_parallel(&giving);
    say_tracking(&giving);
    advice_say_together(&giving, HOST_NO_DEVICE, ADVICE_KIND_ANY);
    advice_say_together(&giving, HOST_UNSUPPORTED, ADVICE_KIND_LAPACK);
    advice_say_together(&giving, HOST_UNSUPPORTED, ADVICE_KIND_BLAS);
    advice_say_together(&giving, HOST_NOT_OPENED, ADVICE_KIND_ANY);
    advice_say_together(&giving, HOST_OUT_OF_MEMORY, ADVICE_KIND_ANY);
    advice_say_routines(&giving);
    advice_say_together(&giving, HOST_SWITCHED_OFF, ADVICE_KIND_ANY);
    advice_say_together(&giving, HOST_BELOW_FLOOR, ADVICE_KIND_ANY);
    advice_say_together(&giving, HOST_ARGUMENTS, ADVICE_KIND_ANY);
    advice_say_together(&giving, HOST_QUERY, ADVICE_KIND_ANY);
    advice_say_together(&giving, HOST_FORWARDED, ADVICE_KIND_ANY);
    say_recipe(&giving);
    if (!said)
        say_nothing(&giving);
}

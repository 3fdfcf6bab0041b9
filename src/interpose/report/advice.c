#include "interpose/report/report_data.h"
#include "common/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long calls_for(const struct parallel_report *report, enum parallel_unserved why)
{
    unsigned long long sum = 0;
    for (int i = 0; i < report->count; i++)
        sum += report->rows[i].counts.unserved_calls[why];
    return sum;
}

/* membership.c has these words. */
static const char *remedy_of(const char *fault)
{
    if (strstr(fault, "several machines"))
        return " mublas serves the grids of one machine; calls within a rank still go to the GPU.";
    if (strstr(fault, "not every rank"))
        return " Start every rank under mublas run, or preload it into each, with the same MUBLAS_* "
               "settings.";
    if (strstr(fault, "no launcher"))
        return " Start the ranks by mpirun, mpiexec or srun, which tell each its number.";
    return "";
}

static void say_job(const struct advice_giving *giving, const struct parallel_report *report)
{
    const unsigned long long calls = calls_for(report, UNSERVED_JOB);
    if (calls)
        advice_say(giving, "Parallel routines are the host's in this job, %llu call%s on all ranks alike: "
                           "%s.%s",
                   calls, plural(calls), report->fault, remedy_of(report->fault));
}

static void say_together(const struct advice_giving *giving, const struct parallel_report *report,
                         enum parallel_unserved why, const char *text)
{
    const unsigned long long calls = calls_for(report, why);
    if (calls)
        advice_say(giving, "%llu call%s of parallel routines stayed on the host: "
                           "%s", calls, plural(calls), text);
}

/* After a vote. Another process that said no has the reason in its own report. */
static void say_voted(const struct advice_giving *giving, const struct parallel_report *report)
{
    for (int reason = 0; reason < HOST_REASON_COUNT; reason++) {
        unsigned long long calls = 0;
        for (int i = 0; i < report->count; i++)
            calls += report->rows[i].counts.host_calls[reason];
        if (calls)
            advice_say(giving, "%llu call%s of parallel routines stayed on the host: "
                               "%s.", calls, plural(calls),
                       advice_because(giving->facts, (enum host_reason)reason, true));
    }
}

/* Its reductions call BLAS and LAPACK of each rank, which are told as ever. */
static void say_elpa(const struct advice_giving *giving, const struct parallel_report *report)
{
    if (report->has_elpa)
        advice_say(giving, "The program has loaded ELPA, whose eigensolvers mublas does not replace. Choose "
                           "ScaLAPACK's in the program's input to have them on the GPU.");
}

/* Why parallel routines were not served. */
static void advice_say_parallel(const struct advice_giving *giving)
{
    const struct parallel_report *const report = giving->facts->parallel;
    if (!report)
        return;
    say_job(giving, report);
    say_together(giving, report, UNSERVED_CONTEXT,
                 "mublas did not see their BLACS context made (by blacs_gridinit or blacs_gridmap, through "
                 "the "
                 "loader).");
    say_together(giving, report, UNSERVED_WIDE,
                 "their integers have 64 bits. Link ScaLAPACK with 32-bit integers (of MKL: lp64).");
    say_together(giving, report, UNSERVED_GIVEN_UP,
                 "their context was given up, by all its processes: none had a usable GPU, or one had died.");
    say_voted(giving, report);
    say_elpa(giving, report);
}

static const char slow_host[] = " Built-in figures foretell a host of 16 cores with OpenBLAS: run mublas tune once, "
                                "which learns those of this host.";

/* More than twice what waking takes. */
static bool may_be_slow_host(const struct advice_facts *facts, double waiting)
{
    return waiting > 1 && !facts->has_recipe && !facts->device_is_emulated;
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
                       "The GPU was not woken: as foretold, calls that took %.3f s on the host would not have "
                       "saved what waking it takes.%s",
                       waiting, may_be_slow_host(facts, waiting) ? slow_host : "");
        break;
    case ADVICE_DEVICE_READY:
        advice_say(giving,
                   "The program ended while the GPU was being woken, or that took too long: calls took %.3f "
                   "s on "
                   "the host. A longer run would use it.",
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
    if (giving->facts->has_recipe || giving->facts->device != ADVICE_DEVICE_USED ||
        giving->facts->device_is_emulated)
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
        advice_say(giving, "It started other processes, which report for themselves%s. %s",
                   facts->is_section ? "" : ": a fork's child to a name of its own, FILE.PID",
                   advice_silent_children);
    else if (facts->was_called && facts->has_forked)
        advice_say(giving, "Processes that it forked report for themselves%s. %s",
                   facts->is_section ? ", in sections of this report" : ", each to a name of its own, "
                                                                        "FILE.PID",
                   advice_silent_children);
}

static const char *name_of_device(const struct advice_facts *facts)
{
    return facts->device_is_emulated ? "emulated device" : "GPU, by a recipe of this machine";
}

static void say_nothing(const struct advice_giving *giving)
{
    const struct parallel_report *const parallel = giving->facts->parallel;
    if (giving->facts->has_queries_alone)
        advice_say(giving, "Nothing: the program only asked for the sizes of workspaces.");
    else if (parallel && parallel->has_owner && !parallel->owner_is_here)
        advice_say(giving, "Nothing: all calls ran on the GPU, by process %ld, rank %d.", parallel->owner,
                   parallel->owner_rank);
    else
        advice_say(giving, "Nothing: all calls ran on the %s.",
                   name_of_device(giving->facts));
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
    advice_say_together(&giving, HOST_FORWARDED, ADVICE_KIND_ANY);
    say_recipe(&giving);
    if (!said)
        say_nothing(&giving);
}

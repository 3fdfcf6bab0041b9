/* Advice tells what held parallel routines back, and what a user can do about it. */
#include "common/plural.h"
#include "interpose/report/advice_giving.h"
#include "interpose/report/advice_words.h"

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
        return " Start every rank under mublas run, or preload it into each, with the same MUBLAS_* settings.";
    if (strstr(fault, "no launcher"))
        return " Start the ranks by mpirun, mpiexec or srun, which tell each its number.";
    return "";
}

static void say_job(const struct advice_giving *giving, const struct parallel_report *report)
{
    const unsigned long long calls = calls_for(report, UNSERVED_JOB);
    if (calls)
        advice_say(giving, "Parallel routines are the host's in this job, %llu call%s on all ranks alike: %s.%s",
                   calls, plural(calls), report->fault, remedy_of(report->fault));
}

static void say_together(const struct advice_giving *giving, const struct parallel_report *report,
                         enum parallel_unserved why, const char *text)
{
    const unsigned long long calls = calls_for(report, why);
    if (calls)
        advice_say(giving, "%llu call%s of parallel routines stayed on the host: %s", calls, plural(calls), text);
}

/* After a vote. Where another process said no, its own report has the reason. */
static void say_voted(const struct advice_giving *giving, const struct parallel_report *report)
{
    for (int reason = 0; reason < HOST_REASON_COUNT; reason++) {
        unsigned long long calls = 0;
        for (int i = 0; i < report->count; i++)
            calls += report->rows[i].counts.host_calls[reason];
        if (calls)
            advice_say(giving, "%llu call%s of parallel routines stayed on the host: %s.", calls, plural(calls),
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

void advice_say_parallel(const struct advice_giving *giving)
{
    const struct parallel_report *const report = giving->facts->parallel;
    if (!report)
        return;
    say_job(giving, report);
    say_together(giving, report, UNSERVED_CONTEXT,
                 "mublas did not see their BLACS context made (by blacs_gridinit or blacs_gridmap, through the "
                 "loader).");
    say_together(giving, report, UNSERVED_WIDE,
                 "their integers have 64 bits. Link ScaLAPACK with 32-bit integers (of MKL: lp64).");
    say_together(giving, report, UNSERVED_GIVEN_UP,
                 "their context was given up, by all its processes: none had a usable GPU, or one had died.");
    say_voted(giving, report);
    say_elpa(giving, report);
}

/* report_data.h - what a report of either form tells: read once, so that all its parts agree while other
 * threads go on. The run's numbers, where the program ran, and the facts of this process that advice.h makes
 * its sentences of (report_advice.c). */
#ifndef MUBLAS_REPORT_DATA_H
#define MUBLAS_REPORT_DATA_H

#include "interpose/report/advice.h"
#include "interpose/report/parallel_report.h"
#include "interpose/report/report_file.h"
#include "interpose/report/report_run.h"
#include "interpose/report/stats.h"

struct report {
    struct reporter reporter;
    const char *program;
    struct report_run run;
    bool has_forked, has_started_others; /* any that it waited for, or not */
    uint64_t run_nanoseconds;
    struct routine_stats routines[SYMBOL_COUNT], total; /* each nanosecond of the total's is counted once */
    struct large_call largest[LARGEST_CALLS];
    int largest_count;
    const struct parallel_report *parallel; /* NULL: nothing to tell */
};

/* Once, at exit. NULL: there is nothing to say, since no BLAS or LAPACK was called, but for a program that
 * `mublas run` started and that started no other: its user waits for a report. Static storage. */
const struct report *report_read(void);

/* The text tells what of this process's program cannot be intercepted, as `mublas run` found
 * (MUBLAS_UNREACHABLE); "": nothing; NULL: it did not look. Other programs inherit the setting: it has this
 * process's number, and the name that the program was started by. */
const char *report_unreachable(const struct report *report);

bool report_was_called(const struct routine_stats *stats);
bool report_has_calls(const struct report *report); /* of any kind, parallel routines included */
uint64_t report_host_calls(const struct routine_stats *stats);

/* Nanoseconds. A LAPACK routine's on the host are all of them; its own are those outside of calls that it
 * makes and that are counted themselves. */
uint64_t report_host_time(const struct routine_stats *stats);
uint64_t report_inside_time(const struct routine_stats *stats);
uint64_t report_own_host_time(const struct routine_stats *stats);
uint64_t report_device_time(const struct routine_stats *stats);
uint64_t report_link_time(const struct routine_stats *stats);  /* of that, packing and moving operands */
uint64_t report_kernel_time(const struct routine_stats *stats); /* of that, launching and waiting */

/* "dsymv" for dsymv_; by other interfaces the exported name. */
enum { REPORT_NAME_BYTES = 40 };
const char *report_name(enum symbol symbol, char name[REPORT_NAME_BYTES]);

/* Tells where the program ran: device, what opening it took, host libraries, settings other than by default. Calls
 * `take` with each label and text, which last until it returns. */
typedef void report_take(void *context, const char *label, const char *text);
void report_setup_each(const struct report *report, report_take *take, void *context);

/* The facts that advice.h makes its sentences of, from this process. */
void report_advice_give(const struct report *report, advice_take *take, void *context);

#endif

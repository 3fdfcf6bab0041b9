/* report_data.h - the report at exit, and its two forms, text and page. It tells the run's numbers, where the
 * program ran, and the facts of this process that advice.h makes its sentences of. */
#ifndef MUBLAS_REPORT_DATA_H
#define MUBLAS_REPORT_DATA_H

#include "interpose/report/advice.h"
#include "interpose/report/parallel_report.h"
#include "interpose/report/report_file.h"
#include "interpose/report/stats.h"

#include <stdio.h>

/* What a report of either form tells: read once, so that all its parts agree while other threads go on. */
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
bool report_has_calls(const struct report *report); /* of any kind, parallel and foretold ones included */
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

/* Tells where the program ran: device, what opening it took, host libraries, settings other than by default.
 * Calls `take` with each label and text, which last until it returns. */
typedef void report_take(void *context, const char *label, const char *text);
void report_setup_each(const struct report *report, report_take *take, void *context);

/* The facts that advice.h makes its sentences of, from this process. */
void report_advice_give(const struct report *report, advice_take *take, void *context);

/* The report as text (report.c). */
void report_text_print(FILE *stream, const struct report *report);

/* In the place of either, what an estimate comes to (estimate/estimate_text.c): text alone. */
void estimate_text_print(FILE *stream, const struct report *report);

/* "mublas report of process 4711, rank 3 of 8 " */
void report_text_print_process(FILE *stream, const struct report *report);

/* The report as one page of HTML (page.c, page_charts.c): no script, no network, a table beside each
 * chart. */
void page_print(FILE *stream, const struct report *report);

/* The parts of the page that have charts. Two bars: the run, by whether a call was under way, and the calls,
 * by what they were spent on. */
void page_print_whole(FILE *stream, const struct report *report);

/* A bar and a row for each routine. */
void page_print_routines(FILE *stream, const struct report *report);

/* When threads were in which activity. */
void page_print_timeline(FILE *stream, const struct report *report);

/* Threads may end the process at once: one of them runs the destructors, the report among them, and the
 * others would end the process meanwhile (glibc 2.41 has them wait by itself). From now on they wait for the
 * report. When the library is loaded, after start_objects_note, where a report is wanted. Does nothing for a
 * library that came by dlopen. */
void exit_wait_begin(void);

#endif

/* report.h - the report at exit, as text (report.c) or as one page of HTML (page.c, page_charts.c): no script, no
 * network, a table beside each chart.
 *
 * Threads may end the process at once: one of them runs the destructors, the report among them, and the others would
 * end the process meanwhile (glibc 2.41 has them wait by itself). So they wait for the report. */
#ifndef MUBLAS_REPORT_H
#define MUBLAS_REPORT_H

#include "interpose/report/report_data.h"

#include <stdio.h>

/* The report as text. */
void report_text_print(FILE *stream, const struct report *report);

/* "mublas report of process 4711, rank 3 of 8 " */
void report_text_print_process(FILE *stream, const struct report *report);

/* The report as one page of HTML: no script, no network, a table beside each chart. */
void page_print(FILE *stream, const struct report *report);

/* The parts of the page that have charts. */

/* Two bars: the run, by whether a call was under way, and the calls, by what they were spent on. */
void page_print_whole(FILE *stream, const struct report *report);

/* A bar and a row for each routine. */
void page_print_routines(FILE *stream, const struct report *report);

/* When threads were in which activity. */
void page_print_timeline(FILE *stream, const struct report *report);

/* A row for each parallel routine. */
void page_print_parallel(FILE *stream, const struct parallel_report *parallel);

/* The name of an activity's colour, and what that means. */
const char *page_activity_class(enum activity activity);
const char *page_activity_meaning(enum activity activity);

/* What the colours mean that a chart shows. */
void page_print_legend(FILE *stream, const bool is_shown[ACTIVITY_COUNT]);

/* Threads that end the process at once: one of them runs the destructors, the report
 * among them, and the others would end the process meanwhile (glibc 2.41 has them wait by itself). */

/* When the library is loaded, after start_objects_note, where a report is wanted. Does nothing for a library
 * that came by dlopen. */
void exit_wait_begin(void);

#endif

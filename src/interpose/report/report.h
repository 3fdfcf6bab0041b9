/* report.h - the report at exit, as text (report.c) or as one page of HTML (page.c, page_charts.c): no
 * script, no network, a table beside each chart. */
#ifndef MUBLAS_REPORT_H
#define MUBLAS_REPORT_H

#include "interpose/report/report_data.h"

#include <stdio.h>

/* The report as text. */
void report_text_print(FILE *stream, const struct report *report);

/* "mublas report of process 4711, rank 3 of 8 " */
void report_text_print_process(FILE *stream, const struct report *report);

/* The report as one page of HTML. */
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

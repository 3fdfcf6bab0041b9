/* page_parts.h - the parts of the page that have charts. */
#ifndef MUBLAS_PAGE_PARTS_H
#define MUBLAS_PAGE_PARTS_H

#include "interpose/report/report_data.h"

#include <stdio.h>

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

#endif

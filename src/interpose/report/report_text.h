/* report_text.h - the report as text. */
#ifndef MUBLAS_REPORT_TEXT_H
#define MUBLAS_REPORT_TEXT_H

#include "interpose/report/report_data.h"

#include <stdio.h>

void report_text_print(FILE *stream, const struct report *report);

/* "mublas report of process 4711, rank 3 of 8 " */
void report_text_print_process(FILE *stream, const struct report *report);

#endif

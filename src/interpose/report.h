/* report.h - the report of MUBLAS_REPORT: what was offloaded, what was not and why.
 *
 * Written by a destructor, when the program and its libraries have done their own
 * output; a process that made no BLAS call writes none. */
#ifndef MUBLAS_REPORT_H
#define MUBLAS_REPORT_H

#include <stdio.h>

/* Print the report of the calls so far. */
void report_print(FILE *stream);

/* The name of a report file: `form` with every %p replaced by the process id. Free
 * it; NULL when memory is short. */
char *report_file_name(const char *form);

#endif

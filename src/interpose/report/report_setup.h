/* report_setup.h - where a program ran, for a report: device, what opening it took, host libraries, settings
 * other than by default. */
#ifndef MUBLAS_REPORT_SETUP_H
#define MUBLAS_REPORT_SETUP_H

#include "interpose/report/report_data.h"

/* Calls `take` with each label and text, which last until it returns. */
typedef void report_take(void *context, const char *label, const char *text);
void report_setup_each(const struct report *report, report_take *take, void *context);

#endif

/* page.h - the report as one page of HTML: no script, no network, a table beside each chart. */
#ifndef MUBLAS_PAGE_H
#define MUBLAS_PAGE_H

#include "interpose/report/report_data.h"

#include <stdio.h>

void page_print(FILE *stream, const struct report *report);

#endif

/* parallel_text.h - the part of the text report that tells of parallel routines. */
#ifndef MUBLAS_PARALLEL_TEXT_H
#define MUBLAS_PARALLEL_TEXT_H

#include "interpose/report/parallel_report.h"

#include <stdio.h>

void parallel_text_print(FILE *stream, const struct parallel_report *report);

/* Tells who owned the device's part, in a sentence; nothing where no call ran there. For the page, too: no
 * markup. */
void parallel_text_print_owner(FILE *stream, const struct parallel_report *report);

/* "work" of the owner, "wait" of others. */
const char *parallel_work_word(const struct parallel_report *report);

#endif

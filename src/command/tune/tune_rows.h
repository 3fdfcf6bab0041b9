/* tune_rows.h - lines of a data file (tuning_data.h) as text, by class and form. */
#ifndef MUBLAS_TUNE_ROWS_H
#define MUBLAS_TUNE_ROWS_H

#include "tuner/online/tuning_class.h"

#include <stdio.h>

/* The lines of a data file of that device, NUL-terminated, to be freed; a last one without an end is left out. NULL:
 * `fault` says why it cannot be used, "" where there is no such file. */
enum { TUNING_FAULT_BYTES = 512 };
char *tune_rows_read(const char *path, const char *device, char fault[TUNING_FAULT_BYTES]);

/* Those of classes and forms for which `which` is `value`. */
void tune_rows_write(FILE *stream, const char *rows, bool which[TUNING_CLASSES][TUNING_FORMS], bool value);

#endif

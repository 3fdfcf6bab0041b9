/* tune_place.h - the places where `mublas tune` writes: may what is there be overwritten? For one thread. */
#ifndef MUBLAS_TUNE_PLACE_H
#define MUBLAS_TUNE_PLACE_H

#include "command/tune/tune_options.h"

/* Of the recipe with what is added for other files: at most as much as ".evaluation.csv". */
enum { TUNE_PATH_BYTES = sizeof ((struct tune_options *)0)->output + 16 };

/* A line on standard error; the first one returns false. */
bool tune_complain(const char *path, const char *fault);
void tune_note(const char *path, const char *fault, const char *consequence);

/* Could a file that has a line which begins so at its head be written there? Not over anything else: `what`
 * for people. False: with one line. */
#define TUNE_RECIPE_LINE "mublas recipe "
bool tune_place_is_ours(const char *path, const char *line, const char *what);

#endif

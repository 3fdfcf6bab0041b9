/* tune_place.h - the places where `mublas tune` writes: whether what is there may be overwritten, and where it is
 * kept if it is of no use any more. For one thread. */
#ifndef MUBLAS_TUNE_PLACE_H
#define MUBLAS_TUNE_PLACE_H

#include "command/tune_options.h"

/* Of the recipe with what is added for other files: at most as much as ".partial.calls.old.99999". */
enum { TUNE_PATH_BYTES = sizeof ((struct tune_options *)0)->output + 32 };

/* A line on standard error; the first one returns false. */
bool tune_complain(const char *path, const char *fault);
void tune_note(const char *path, const char *fault, const char *consequence);

/* Could a file that has a line which begins so at its head be written there? Not over anything else: `what`
 * for people. False: with one line. */
#define TUNE_RECIPE_LINE "mublas recipe "
bool tune_place_is_ours(const char *path, const char *line, const char *what);

/* The first of the endings .old, .old.2, ... with which there is neither a recipe nor data; and give what is
 * there of `recipe`, or of its data, that ending (data: and .csv). What is set aside is there, and keeps its own
 * name, too, until it is replaced; what is moved does not, and need not be there. False: with one line. */
void tune_place_find_old(const char *recipe, char old[16]);
bool tune_place_set_aside(const char *recipe, const char *old, bool data);
bool tune_place_move_aside(const char *recipe, const char *old, bool data);

/* What an interrupted run has left, and its data, cannot be gone on with, but may be of hours: it gets the first
 * such ending, with a line that says why. False: with another one. */
bool tune_place_keep_left(const char *left, const char *fault);

#endif

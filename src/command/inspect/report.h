/* report.h - what `mublas info -- PROGRAM` says of a program and its libraries. */
#ifndef MUBLAS_INSPECT_REPORT_H
#define MUBLAS_INSPECT_REPORT_H

#include "command/inspect/link_map.h"

#include <stdio.h>

/* Prints all parts, with those below. `all`, here and below: every name and library, not the first few. */
void inspect_report(FILE *stream, const struct link_map *map, bool all);

/* Prints the LAPACK routines that mublas leaves to the program's LAPACK: a heading and a line for each object
 * that calls some. */
void lapack_left_print(FILE *stream, const struct link_map *map, bool all);

/* Why mublas gets none of the program's calls; NULL: it may get some. Static storage. */
const char *losses_refusal(const struct link_map *map);

/* Prints that refusal, or which names of which object cannot be intercepted and why. */
void losses_print(FILE *stream, const struct link_map *map, const char *refusal, bool all);

/* Prints which object has how many routines that cannot be intercepted, and why, without an end of line and
 * with ; between; nothing where there are none. Not after a refusal. */
void losses_print_line(FILE *stream, const struct link_map *map);

/* Prints what could not be seen in the program, and what it may do at run time. Not after a refusal. */
void notes_print(FILE *stream, const struct link_map *map);

#endif

/* report.h - what `mublas info -- PROGRAM` says of a program and its libraries. */
#ifndef MUBLAS_INSPECT_REPORT_H
#define MUBLAS_INSPECT_REPORT_H

#include "command/inspect/link_map.h"

#include <stdio.h>

/* All parts, those below included. `all`, here and below: every name and library, not the first few. */
void inspect_report(FILE *stream, const struct link_map *map, bool all);

/* LAPACK routines that are left to the program's LAPACK: a line for each object that calls some, after a heading;
 * nothing where none does. */
void lapack_left_print(FILE *stream, const struct link_map *map, bool all);

/* Why mublas gets no call at all of the program; NULL if it may get some. Static storage. */
const char *losses_refusal(const struct link_map *map);

/* The block that says so, or which names of which object cannot be intercepted. Nothing where nothing is lost. */
void losses_print(FILE *stream, const struct link_map *map, const char *refusal, bool all);

/* What could not be seen in the program, and what it may do at run time. Not for programs that mublas cannot be
 * loaded into. */
void notes_print(FILE *stream, const struct link_map *map);

#endif

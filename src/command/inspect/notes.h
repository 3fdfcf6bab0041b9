/* notes.h - what could not be seen in a program, and what it may do at run time. Not for
 * programs that mublas cannot be loaded into. */
#ifndef MUBLAS_INSPECT_NOTES_H
#define MUBLAS_INSPECT_NOTES_H

#include "command/inspect/link_map.h"

#include <stdio.h>

void inspect_notes_print(FILE *stream, const struct link_map *map);

#endif

/* lapack_left.h - LAPACK routines that a program calls and that mublas leaves to the program's LAPACK. */
#ifndef MUBLAS_LAPACK_LEFT_H
#define MUBLAS_LAPACK_LEFT_H

#include "command/inspect/link_map.h"

#include <stdbool.h>
#include <stdio.h>

/* A line for each object that asks the loader for some, after a heading; nothing where none does. `all`: every name,
 * not the first few. */
void lapack_left_print(FILE *stream, const struct link_map *map, bool all);

#endif

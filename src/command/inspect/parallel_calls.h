/* parallel_calls.h - ScaLAPACK in a program and its libraries: which of its routines would be served, and
 * what keeps others away. */
#ifndef MUBLAS_PARALLEL_CALLS_H
#define MUBLAS_PARALLEL_CALLS_H

#include "command/inspect/link_map.h"

#include <stdio.h>

/* Prints which objects call which routines of src/scalapack/routines.def, of which library, and whether ELPA
 * is there; nothing for other programs. `all`: every name, not the first few. */
void parallel_calls_print(FILE *stream, const struct link_map *map, bool all);

/* Why the calls of an object's own ScaLAPACK cannot be intercepted; NULL: it has none. Static storage. */
const char *parallel_loss(const struct link_map *map, int object);

#endif

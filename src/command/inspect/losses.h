/* losses.h - what of an inspected program mublas cannot intercept, and why. */
#ifndef MUBLAS_INSPECT_LOSSES_H
#define MUBLAS_INSPECT_LOSSES_H

#include "command/inspect/link_map.h"

#include <stdbool.h>
#include <stdio.h>

/* Why nothing at all of the program comes to mublas; NULL if something may. Static storage. */
const char *inspect_losses_refusal(const struct link_map *map);

/* The block that says so, or which names of which object do not. Nothing where nothing is lost. `all`: every name. */
void inspect_losses_print(FILE *stream, const struct link_map *map, const char *refusal, bool all);

#endif

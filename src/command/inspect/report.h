/* report.h - what `mublas info -- PROGRAM` says of a program and its libraries. */
#ifndef MUBLAS_INSPECT_REPORT_H
#define MUBLAS_INSPECT_REPORT_H

#include "command/inspect/link_map.h"

#include <stdio.h>

/* `verbose`: also every name and library. */
void inspect_report(FILE *stream, const struct link_map *map, bool verbose);

#endif

/* name_choice.h - BLAS names of inspected objects, chosen by what becomes of them. */
#ifndef MUBLAS_NAME_CHOICE_H
#define MUBLAS_NAME_CHOICE_H

#include "command/inspect/interception.h"

#include <stdio.h>

/* Names that come to `end` in an object (in any at all: -1), of one interface (-1: of all; CHOICE_BLAS,
 * CHOICE_LAPACK: of all of these), and whose host library is the given one (-1: none; CHOICE_ANY_HOST: does not
 * matter). */
enum { CHOICE_ANY = -1, CHOICE_ANY_HOST = -2, CHOICE_BLAS = -3, CHOICE_LAPACK = -4 };
struct name_choice {
    int object;
    enum interception end;
    int interface;
    int host;
};

int name_choice_count(const struct link_map *map, const struct name_choice *choice);

/* Of these, how many can run on the device? */
int name_choice_offloaded(const struct link_map *map, const struct name_choice *choice);

/* Print them on one line without its end, each after a blank: all, or the first few and
 * how many more. */
void name_choice_print(FILE *stream, const struct link_map *map, const struct name_choice *choice, bool all);

#endif

/* name_choice.h - BLAS names of inspected objects, chosen by what becomes of them. */
#ifndef MUBLAS_NAME_CHOICE_H
#define MUBLAS_NAME_CHOICE_H

#include "command/inspect/interception.h"

#include <stdio.h>

/* Names that have the end `end` in an object (CHOICE_ANY: in any), an interface (CHOICE_ANY: any; CHOICE_BLAS
 * and CHOICE_LAPACK: any of these) and a host library (-1: none; CHOICE_ANY_HOST: any or none). */
enum { CHOICE_ANY = -1, CHOICE_ANY_HOST = -2, CHOICE_BLAS = -3, CHOICE_LAPACK = -4 };
struct name_choice {
    int object;
    enum interception end;
    int interface;
    int host;
};

int name_choice_count(const struct link_map *map, const struct name_choice *choice);

/* How many of these can run on the device. */
int name_choice_offloaded(const struct link_map *map, const struct name_choice *choice);

/* Prints them as name_line_add does. */
void name_choice_print(FILE *stream, const struct link_map *map, const struct name_choice *choice, bool all);

#endif

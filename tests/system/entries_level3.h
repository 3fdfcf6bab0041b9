/* entries_level3.h - the level 3 part of entries.c: every routine and type with every flag and
 * layout, against the definition. */
#ifndef MUBLAS_TESTS_ENTRIES_LEVEL3_H
#define MUBLAS_TESTS_ENTRIES_LEVEL3_H

#include "interface_call.h"
#include "random.h"

struct level3_result {
    char routine[8]; /* with the type's letter; empty: there are no more */
    int calls, wrong;
};

/* Test routine number `index`, from 0; what was wrong is told in lines that begin with #. */
struct level3_result entries_level3(const struct interface *interface, int index, struct random *random);

#endif

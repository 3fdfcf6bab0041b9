/* interception.h - what would become of a program's BLAS calls with mublas preloaded.
 *
 * Objects are numbered as in link_map.h, names by enum symbol. The loader asks
 * the program itself first, then mublas, then everything else. */
#ifndef MUBLAS_INTERCEPTION_H
#define MUBLAS_INTERCEPTION_H

#include "command/inspect/link_map.h"

enum interception {
    INTERCEPTION_NONE,      /* the object does not call the name, or only wraps the Fortran routine by it */
    INTERCEPTION_CAUGHT,    /* its calls come to mublas */
    INTERCEPTION_PROGRAM,   /* they go to the program's own definition */
    INTERCEPTION_SYMBOLIC,  /* bound to its own, exported definition: DT_SYMBOLIC, */
    INTERCEPTION_PROTECTED, /* ... or a protected symbol, */
    INTERCEPTION_BOUND,     /* ... or the linker bound it otherwise; a name without calls looks the same */
    INTERCEPTION_INSIDE,    /* defined in the object and hidden from the loader: static BLAS */
    INTERCEPTION_COUNT
};

enum interception interception_of(const struct link_map *map, int object, int name);

/* The index of the library that mublas would take the routine from; -1: none of these. */
int interception_host(const struct link_map *map, int name);

/* True when another object's calls would end in this one. */
bool interception_is_host(const struct link_map *map, int object);

#endif

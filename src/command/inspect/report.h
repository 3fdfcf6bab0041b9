/* report.h - what would become of a program's BLAS, LAPACK and ScaLAPACK calls with mublas preloaded, and how
 * `mublas info -- PROGRAM` says so.
 *
 * Objects are numbered as in link_map.h, names by enum symbol. The loader asks the program itself first, then
 * mublas, then everything else. */
#ifndef MUBLAS_COMMAND_INSPECT_REPORT_H
#define MUBLAS_COMMAND_INSPECT_REPORT_H

#include "command/inspect/link_map.h"

#include <stdio.h>

/* The end of an object's calls of a BLAS name. */
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

enum interception interception_of(const struct program_map *map, int object, int name);

/* The index of the library that mublas would take the routine from; -1: none of these. */
int interception_host(const struct program_map *map, int name);

/* True when another object's calls would end in this one. */
bool interception_is_host(const struct program_map *map, int object);

/* BLAS names that have the end `end` in an object (CHOICE_ANY: in any), an interface (CHOICE_ANY: any;
 * CHOICE_BLAS and CHOICE_LAPACK: any of these) and a host library (-1: none; CHOICE_ANY_HOST: any or
 * none). */
enum { CHOICE_ANY = -1, CHOICE_ANY_HOST = -2, CHOICE_BLAS = -3, CHOICE_LAPACK = -4 };
struct name_choice {
    int object;
    enum interception end;
    int interface;
    int host;
};

int name_choice_count(const struct program_map *map, const struct name_choice *choice);

/* How many of these can run on the device. */
int name_choice_offloaded(const struct program_map *map, const struct name_choice *choice);

/* Prints them as name_line_add does. */
void name_choice_print(FILE *stream, const struct program_map *map, const struct name_choice *choice,
                       bool all);

/* Prints which objects call which routines of src/scalapack/routines.def, of which library, and whether ELPA
 * is there; nothing for other programs. `all`: every name, not the first few. */
void parallel_calls_print(FILE *stream, const struct program_map *map, bool all);

/* Why the calls of an object's own ScaLAPACK cannot be intercepted; NULL: it has none. Static storage. */
const char *parallel_loss(const struct program_map *map, int object);

/* Prints all parts, with those below. `all`, here and below: every name and library, not the first few. */
void inspect_report(FILE *stream, const struct program_map *map, bool all);

/* Why mublas gets none of the program's calls; NULL: it may get some. Static storage. */
const char *losses_refusal(const struct program_map *map);

/* Prints that refusal, or which names of which object cannot be intercepted and why. */
void losses_print(FILE *stream, const struct program_map *map, const char *refusal, bool all);

#endif

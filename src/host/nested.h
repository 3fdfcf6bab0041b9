/* nested.h - is a BLAS call the doing of another one?
 *
 * A host's CBLAS may call its own Fortran routines by their exported names, and those one
 * another, which comes to mublas again: they are run, but not counted, since the program
 * made one call. The LAPACK in a host is not meant: its calls are counted. */
#ifndef MUBLAS_NESTED_H
#define MUBLAS_NESTED_H

#include <stdbool.h>
#include <stdint.h>

/* Code that lies from start to end belongs to a host. */
void nested_note_host(uintptr_t start, uintptr_t end);

/* True when the return address lies in a BLAS routine of a noted host, told by its name.
 * Thread-safe. */
bool nested_in_host(const void *caller);

/* Calls from outside [begin, begin + bytes) are in no host that is known: for thunks.S, which asks no more
 * of those. While another host becomes known a call may be told wrong, which costs a count. */
struct nested_hull {
    uintptr_t begin, bytes;
};
extern struct nested_hull nested_hull;

#endif

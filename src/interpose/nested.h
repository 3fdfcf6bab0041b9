/* nested.h - is a BLAS call the doing of another one?
 *
 * A host's CBLAS may call its own Fortran routines by their exported names, which come to
 * mublas again: they are run, but not counted, since the program made one call. */
#ifndef MUBLAS_NESTED_H
#define MUBLAS_NESTED_H

#include <stdbool.h>
#include <stdint.h>

/* Code that lies from start to end belongs to a host whose C interface mublas stands
 * before. */
void nested_note_host(uintptr_t start, uintptr_t end);

/* True when the return address lies in a function of a noted host's C interface, told by
 * its name. Thread-safe. */
bool nested_in_cblas(const void *caller);

#endif

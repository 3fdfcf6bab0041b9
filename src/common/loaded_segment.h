/* loaded_segment.h - the part of a loaded object, program or library, that an address is in: its code, or a
 * variable, as a Fortran program's arrays often are. */
#ifndef MUBLAS_LOADED_SEGMENT_H
#define MUBLAS_LOADED_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

struct loaded_segment {
    uintptr_t begin, end;
};

/* False: it is in none; *segment is left alone then. Does not wait for dlopen's lock. Thread-safe. */
bool loaded_segment_find(uintptr_t address, struct loaded_segment *segment);

#endif

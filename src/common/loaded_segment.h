/* loaded_segment.h - finds the segment of a loaded program or library that holds an address: code, or a
 * variable such as an array of a Fortran program. */
#ifndef MUBLAS_LOADED_SEGMENT_H
#define MUBLAS_LOADED_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

struct loaded_segment {
    uintptr_t begin, end;
};

/* False, and *segment unchanged: no segment holds it. Does not wait for dlopen's lock. Thread-safe. */
bool loaded_segment_find(uintptr_t address, struct loaded_segment *segment);

#endif

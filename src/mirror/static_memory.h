/* static_memory.h - is this memory a part of a loaded object: a variable of the program or of a library, as a
 * Fortran program's arrays often are? Does not wait for the loader's lock. Thread-safe. */
#ifndef MUBLAS_STATIC_MEMORY_H
#define MUBLAS_STATIC_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

bool memory_is_static(uintptr_t address);

#endif

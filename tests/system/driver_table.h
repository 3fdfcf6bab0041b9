/* driver_table.h - mublas' table of the CUDA driver, filled as a program that uses CUDA itself
 * would. The name comes from the caller: mublas looks for it among programs' constants. */
#ifndef MUBLAS_TESTS_DRIVER_TABLE_H
#define MUBLAS_TESTS_DRIVER_TABLE_H

#include "gpu/driver.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* False, and *member NULL, where the library has no such symbol. */
static inline bool driver_look_up(void *library, const char *symbol, void *member)
{
    void *address = dlsym(library, symbol);
    memcpy(member, &address, sizeof address);
    return address != NULL;
}

/* The library `name`, all of its functions in *table; NULL: it is not there, or lacks one. */
static inline void *driver_table_open(struct driver *table, const char *name)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    bool good = library != NULL;
    if (!good)
        return NULL;
#define DRIVER_FUNCTION(member, symbol, parameters, way) \
    good = driver_look_up(library, #symbol, &table->member) && good;
#define OPTIONAL_DRIVER_FUNCTION(member, symbol, parameters, way) \
    driver_look_up(library, #symbol, &table->member);
#include "gpu/driver.def"
#undef DRIVER_FUNCTION
    return good ? library : NULL;
}

#endif

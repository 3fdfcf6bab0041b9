#define _GNU_SOURCE
#include "interpose/next_definition.h"
#include "common/loader.h"

#include "common/object_symbols.h"
#include "host/host_library.h"

#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct search {
    const char *name;
    const void *found;
    bool passed; /* this library */
};

/* The loader shows what the program was started with in its search order. What stands before this library
 * never comes to it, unless it came by dlopen: then nothing behind it counts. */
static int look_in(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    struct object_symbols object;
    const void *address, *marker;
    uintptr_t start, end;
    (void)size;
    object_symbols_read(info, &object);
    if (object_symbols_segment(&object, (uintptr_t)look_in, &start, &end))
        search->passed = true;
    else if (object_symbols_find(&object, search->name, &address) &&
             /* another of mublas: */
             !(search->passed && object_symbols_find(&object, HOST_LIBRARY_MARKER, &marker))) {
        search->found = search->passed ? address : NULL;
        return 1;
    }
    return 0;
}

/* Not by dlsym: a library's constructor may be waiting, with the loader's lock, for the thread that comes here
 * first. */
const void *next_definition(const char *name)
{
    struct search search = {name, NULL, false};
    const int saved_errno = errno;
    loader_objects(look_in, &search);
    errno = saved_errno;
    return search.found;
}

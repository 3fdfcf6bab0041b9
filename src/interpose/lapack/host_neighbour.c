#include "interpose/lapack/host_neighbour.h"
#include "common/loader.h"

#include <dlfcn.h>
#include <stdio.h>

enum { NAME_BYTES = 64 };

/* The routine's own name, without the letter of its type, gives way. */
static bool name_beside(const struct lapack_call *call, const char *name, char result[NAME_BYTES])
{
    const char *const exported = symbol_name(call->symbol), *const own = call->routine->name;
    const char *const there = strstr(exported, own);
    return there && snprintf(result, NAME_BYTES, "%.*s%c%s%s", (int)(there - exported), exported, own[0], name,
                             there + strlen(own)) < NAME_BYTES;
}

host_function *host_neighbour(const struct lapack_call *call, const char *name)
{
    char exported[NAME_BYTES];
    Dl_info where;
    if (!name_beside(call, name, exported) || !dladdr((void *)(uintptr_t)call->host, &where) || !where.dli_fname)
        return NULL;
    void *const library = loader_open(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void *const function = library ? loader_symbol(library, exported) : NULL;
    if (library)
        dlclose(library);
    return (host_function *)(uintptr_t)function;
}

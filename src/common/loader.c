#include "common/loader.h"

#include <dlfcn.h>
#include <stddef.h>

void loader_forget_error(void)
{
    dlerror();
}

void *loader_open_or_why(const char *path, int flags, const char **error)
{
    void *library = dlopen(path, flags);
    *error = library ? NULL : dlerror();
    return library;
}

void *loader_open(const char *path, int flags)
{
    const char *error;
    return loader_open_or_why(path, flags, &error);
}

void *loader_symbol(void *handle, const char *name)
{
    void *address = dlsym(handle, name);
    if (!address)
        loader_forget_error();
    return address;
}

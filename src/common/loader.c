#include "common/loader.h"

#include "common/threads/held_signals.h"

#include <stddef.h>

void loader_forget_error(void)
{
    dlerror();
}

void *loader_open_or_why(const char *path, int flags, const char **error)
{
    struct held_signals before;
    held_signals_hold(&before);
    void *library = dlopen(path, flags);
    *error = library ? NULL : dlerror();
    held_signals_return(&before);
    return library;
}

void *loader_open(const char *path, int flags)
{
    const char *error;
    return loader_open_or_why(path, flags, &error);
}

/* With RTLD_NOLOAD the loader looks for the file all the same; NULL without an error says that it is there,
 * and not loaded. */
bool loader_finds(const char *path, const char **error)
{
    loader_forget_error();
    void *const library = loader_open_or_why(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD, error);
    if (library)
        loader_close(library);
    return !*error;
}

void *loader_symbol(void *handle, const char *name)
{
    struct held_signals before;
    held_signals_hold(&before);
    void *address = dlsym(handle, name);
    if (!address)
        loader_forget_error();
    held_signals_return(&before);
    return address;
}

void loader_close(void *handle)
{
    struct held_signals before;
    held_signals_hold(&before);
    dlclose(handle);
    held_signals_return(&before);
}

bool loader_address(const void *address, Dl_info *info)
{
    struct held_signals before;
    held_signals_hold(&before);
    const bool found = dladdr(address, info) != 0;
    held_signals_return(&before);
    return found;
}

int loader_objects(loader_object_visitor *visit, void *context)
{
    struct held_signals before;
    held_signals_hold(&before);
    const int answer = dl_iterate_phdr(visit, context);
    held_signals_return(&before);
    return answer;
}

static int take_count(struct dl_phdr_info *info, size_t size, void *loads)
{
    (void)size;
    *(unsigned long long *)loads = info->dlpi_adds;
    return 1;
}

unsigned long long loader_loads(void)
{
    unsigned long long loads = 0;
    dl_iterate_phdr(take_count, &loads);
    return loads;
}

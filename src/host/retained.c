#include "host/retained.h"
#include "common/loader.h"
#include "host/loaded_object.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

int __cxa_atexit(void (*handler)(void *), void *argument, void *library_handle);
extern void *__dso_handle __attribute__((visibility("hidden"))); /* of mublas, which is never unloaded */

static struct watched {
    _Atomic uintptr_t start, end; /* start is 0 where free */
    retained_forget *_Atomic forget;
    atomic_bool exits; /* the process, which unloads nothing */
} watched[32];
enum { WATCHED_MAX = sizeof watched / sizeof *watched };

static void goes(void *argument)
{
    struct watched *library = argument;
    uintptr_t start = library->start;
    if (!start || library->exits)
        return;
    library->forget(start, library->end);
    library->start = 0;
}

/* What is registered last comes first: before `goes`. */
static void note_exit(void *argument)
{
    ((struct watched *)argument)->exits = true;
}

static bool is_watched(const struct loaded_object *object, retained_forget *forget)
{
    for (int i = 0; i < WATCHED_MAX; i++)
        if (watched[i].start == object->start && watched[i].forget == forget)
            return true;
    return false;
}

static bool watch(uintptr_t inside, retained_forget *forget)
{
    struct loaded_object object;
    if (!loaded_object_find(inside, &object))
        return false;
    for (int i = 0; i < WATCHED_MAX && !is_watched(&object, forget); i++) {
        uintptr_t nowhere = 0;
        if (!atomic_compare_exchange_strong(&watched[i].start, &nowhere, object.start))
            continue;
        watched[i].end = object.end;
        watched[i].forget = forget;
        watched[i].exits = false;
        if (loaded_object_watch(&object, goes, &watched[i]) &&
            __cxa_atexit(note_exit, &watched[i], &__dso_handle) == 0)
            return true;
        watched[i].start = 0;
        return false;
    }
    return is_watched(&object, forget);
}

/* The loader stops a process that wants a library for ever which is just being unloaded. */
static void keep(const char *path, uintptr_t inside, retained_forget *forget)
{
    void *reference = loader_open(path, RTLD_LAZY | RTLD_NOLOAD);
    if (reference && !watch(inside, forget))
        loader_open(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

void retained_keep(const struct host_library *library, retained_forget *forget)
{
    keep(library->path, library->start, forget);
}

void retained_keep_origin(const struct host_library *library, host_function *function,
                          retained_forget *forget)
{
    uintptr_t address = (uintptr_t)function;
    Dl_info where;
    bool known = address >= library->start && address < library->end;
    if (library->is_callers && !known && loader_address((void *)function, &where) && where.dli_fname)
        keep(where.dli_fname, address, forget);
}

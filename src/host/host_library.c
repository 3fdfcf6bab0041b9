#include "host/host_library.h"
#include "common/loaded_segment.h"
#include "common/loader.h"
#include "host/host_search.h"
#include "host/start_objects.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

/* By this symbol every library that mublas makes is recognised, in any version. The
 * first in the search order answers for the name; the alias is always this library's. */
extern const char mublas_interposes_blas, own_marker;
__attribute__((visibility("default"))) const char mublas_interposes_blas = 1;
extern __typeof(mublas_interposes_blas) own_marker
    __attribute__((alias(HOST_LIBRARY_MARKER), visibility("hidden")));

static const char next_in_order[] = "next in the program's search order";

bool host_library_stands_behind(void)
{
    return &mublas_interposes_blas != &own_marker;
}

struct object_search {
    uintptr_t address;
    struct object_symbols *object;
};

static int read_object_at(struct dl_phdr_info *info, size_t size, void *argument)
{
    const struct object_search *search = argument;
    uintptr_t start, end;
    (void)size;
    object_symbols_read(info, search->object);
    return object_symbols_segment(search->object, search->address, &start, &end);
}

/* libblastrampoline passes calls on to libmublas.so, which would get them back for ever. Where a program brings
 * it as its BLAS, in front of which mublas is preloaded, it is a host like others. */
static bool leads_back(const struct object_symbols *object)
{
    const void *forward;
    return host_search_by_path && object_symbols_find(object, "lbt_forward", &forward);
}

static bool is_marked(const struct object_symbols *object)
{
    const void *marker;
    return object_symbols_find(object, HOST_LIBRARY_MARKER, &marker) ||
           object_symbols_find(object, HOST_LIBRARY_PASSING_MARKER, &marker) || leads_back(object);
}

/* True when `address` lies in this library, in another build of mublas or in what leads back; `passed_to`:
 * HOST_LIBRARY_PASSING_MARKER of that, or NULL. */
static bool is_mublas(const void *address, const void **passed_to)
{
    struct object_symbols object;
    struct object_search search = {(uintptr_t)address, &object};
    const bool is_ours = loader_objects(read_object_at, &search) && is_marked(&object);
    if (!is_ours || !object_symbols_find(&object, HOST_LIBRARY_PASSING_MARKER, passed_to))
        *passed_to = NULL;
    return is_ours;
}

/* From the LAPACK that mublas' liblapack.so.3 depends on, and which stays loaded with it. */
static const void *find_behind(const char *name, const char *symbol)
{
    void *const handle = loader_open(name, RTLD_LAZY | RTLD_NOLOAD);
    const void *const address = handle ? loader_symbol(handle, symbol) : NULL;
    const void *none;
    if (handle)
        loader_close(handle);
    return address && !is_mublas(address, &none) ? address : NULL;
}

static host_function *unless_mublas(const struct host_library *library, const char *symbol,
                                    const void *address)
{
    const void *passed_to = NULL;
    const bool is_known = (uintptr_t)address >= library->start && (uintptr_t)address < library->end;
    if (address && !is_known && is_mublas(address, &passed_to))
        address = passed_to ? find_behind(passed_to, symbol) : NULL;
    return (host_function *)(uintptr_t)address;
}

host_function *host_library_function(const struct host_library *library, const char *symbol)
{
    return unless_mublas(library, symbol, loader_symbol(library->handle, symbol));
}

host_function *host_library_start_function(const struct host_library *library, const char *symbol)
{
    const void *address;
    return start_objects_find(symbol, &address) ? unless_mublas(library, symbol, address) : NULL;
}

void host_library_note_start(void)
{
    start_objects_note(&own_marker);
}

bool host_library_at_start(const char *symbol, struct host_library *library)
{
    const void *address;
    const struct object_symbols *object = start_objects_find(symbol, &address);
    if (!object || !address || is_marked(object))
        return false;
    *library = (struct host_library){.path = object->path, .origin = next_in_order};
    return object_symbols_segment(object, (uintptr_t)address, &library->start, &library->end);
}

/* Remembers the code segment, which has the rest too. */
static void describe(struct host_library *library, const void *inside)
{
    Dl_info where;
    struct loaded_segment segment;
    if (loaded_segment_find((uintptr_t)inside, &segment)) {
        library->start = segment.begin;
        library->end = segment.end;
    }
    if (loader_address(inside, &where) && where.dli_fname)
        library->path = where.dli_fname;
}

bool host_library_in(void *handle, const char *symbol, const char *origin, struct host_library *library)
{
    *library = (struct host_library){.handle = handle, .path = "unknown", .origin = origin};
    host_function *function = host_library_function(library, symbol);
    if (function)
        describe(library, (void *)function);
    return function != NULL;
}

bool host_library_next_in_order(const char *symbol, struct host_library *library)
{
    return host_library_in(RTLD_NEXT, symbol, next_in_order, library);
}

void host_library_release(struct host_library *library)
{
    if (library->is_callers)
        loader_close(library->handle);
    library->is_callers = false;
    library->handle = NULL;
}

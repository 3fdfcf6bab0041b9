#include "interpose/host_search.h"
#include "common/loaded_segment.h"
#include "common/loader.h"
#include "interpose/host_paths.h"
#include "interpose/start_objects.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* By this symbol every library that mublas makes is recognised, in any version. The
 * first in the search order answers for the name; the alias is always this library's. */
extern const char mublas_interposes_blas, own_marker;
__attribute__((visibility("default"))) const char mublas_interposes_blas = 1;
extern __typeof(mublas_interposes_blas) own_marker __attribute__((alias(HOST_SEARCH_MARKER), visibility("hidden")));

__attribute__((weak)) bool host_search_by_path = false;
__attribute__((weak)) bool host_search_wide = false;

static const char next_in_order[] = "next in the program's search order";

static const void *object_base(const void *address)
{
    Dl_info where;
    return address && dladdr(address, &where) ? where.dli_fbase : NULL;
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

static bool is_marked(const struct object_symbols *object)
{
    const void *marker;
    return object_symbols_find(object, HOST_SEARCH_MARKER, &marker) ||
           object_symbols_find(object, HOST_SEARCH_PASSING_MARKER, &marker);
}

/* True when `address` lies in this library or in another build of mublas; `passed_to`: HOST_SEARCH_PASSING_MARKER
 * of that, or NULL. */
static bool is_mublas(const void *address, const void **passed_to)
{
    struct object_symbols object;
    struct object_search search = {(uintptr_t)address, &object};
    const bool is_ours = dl_iterate_phdr(read_object_at, &search) && is_marked(&object);
    if (!is_ours || !object_symbols_find(&object, HOST_SEARCH_PASSING_MARKER, passed_to))
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
        dlclose(handle);
    return address && !is_mublas(address, &none) ? address : NULL;
}

static host_function *unless_mublas(const struct host_library *library, const char *symbol, const void *address)
{
    const void *passed_to = NULL;
    const bool is_known = (uintptr_t)address >= library->start && (uintptr_t)address < library->end;
    if (address && !is_known && is_mublas(address, &passed_to))
        address = passed_to ? find_behind(passed_to, symbol) : NULL;
    return (host_function *)(uintptr_t)address;
}

host_function *host_search_function(const struct host_library *library, const char *symbol)
{
    return unless_mublas(library, symbol, loader_symbol(library->handle, symbol));
}

host_function *host_search_start_function(const struct host_library *library, const char *symbol)
{
    const void *address;
    return start_objects_find(symbol, &address) ? unless_mublas(library, symbol, address) : NULL;
}

/* The program's LAPACK stands behind -lmublas. */
bool host_search_is_by_path(const char *symbol)
{
    return host_search_by_path && !symbol_name_is_lapack(symbol);
}

bool host_search_at_start(const char *symbol, struct host_library *library)
{
    const void *address;
    if (host_search_is_by_path(symbol))
        return false;
    const struct object_symbols *object = start_objects_find(symbol, &address);
    if (!object || !address || is_marked(object))
        return false;
    *library = (struct host_library){.path = object->path, .origin = next_in_order};
    return object_symbols_segment(object, (uintptr_t)address, &library->start, &library->end);
}

void host_search_begin(void)
{
    start_objects_note(&own_marker);
}

void host_search_describe(struct host_library *library, const void *inside)
{
    Dl_info where;
    struct loaded_segment segment;
    if (loaded_segment_find((uintptr_t)inside, &segment)) {
        library->start = segment.begin;
        library->end = segment.end;
    }
    if (dladdr(inside, &where) && where.dli_fname)
        library->path = where.dli_fname;
}

/* Does `handle` answer for the symbol? Remembers the code segment, which has the rest too. */
bool host_search_in(void *handle, const char *symbol, const char *origin, struct host_library *library)
{
    *library = (struct host_library){.handle = handle, .path = "unknown", .origin = origin};
    host_function *function = host_search_function(library, symbol);
    if (function)
        host_search_describe(library, (void *)function);
    return function != NULL;
}

bool host_search_stands_behind(void)
{
    return &mublas_interposes_blas != &own_marker;
}

static bool search_next(const char *symbol, struct host_library *library)
{
    return host_search_in(RTLD_NEXT, symbol, next_in_order, library);
}

bool host_search_next(const char *symbol, struct host_library *library)
{
    return !host_search_is_by_path(symbol) && search_next(symbol, library);
}

host_function *host_search_early(const char *symbol)
{
    const void *address;
    host_search_begin();
    return start_objects_find(symbol, &address) ? (host_function *)(uintptr_t)address : NULL;
}

/* Names by which BLAS libraries go, with whatever follows. */
static bool looks_like_blas(const char *path)
{
    static const char *const stems[] = {
        "libblas",    "libcblas",     "libopenblas", "libblis",   "libmkl_rt",    "libmkl_gf_",
        "libmkl_intel_", "libflexiblas", "libatlas",    "libtatlas", "libsatlas",    "libf77blas",
        "libptf77blas", "libptcblas",   "libgoto",     "libarmpl",  "libnvpl_blas", "libscipy_openblas",
        "libaocl",    "libgslcblas",
    };
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (strncmp(name, stems[i], strlen(stems[i])) == 0)
            return true;
    return false;
}

/* Plain names mostly mean 32-bit integers: where a program has both, other names than these first. */
static bool says_64_bits(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strstr(slash ? slash + 1 : path, "64") != NULL;
}

enum { LOADED_MAX = 32 };

struct loaded_libraries {
    int count;
    char *paths[LOADED_MAX];
};

/* The loader's lock is held here: only note the names. */
static int note_library(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct loaded_libraries *loaded = argument;
    (void)size;
    if (info->dlpi_name && loaded->count < LOADED_MAX && looks_like_blas(info->dlpi_name)) {
        char *copy = strdup(info->dlpi_name);
        if (copy)
            loaded->paths[loaded->count++] = copy;
    }
    return 0;
}

static bool accept_loaded(const char *path, const char *symbol, struct host_library *library)
{
    void *handle = loader_open(path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle && host_search_in(handle, symbol, "already loaded by the program", library))
        return true;
    if (handle)
        dlclose(handle);
    return false;
}

static bool search_loaded(const char *symbol, struct host_library *library)
{
    struct loaded_libraries loaded = {0};
    bool found = false;
    dl_iterate_phdr(note_library, &loaded);
    for (int wide = 0; wide <= 1; wide++)
        for (int i = 0; i < loaded.count && !found; i++)
            if (says_64_bits(loaded.paths[i]) == wide)
                found = accept_loaded(loaded.paths[i], symbol, library);
    for (int i = 0; i < loaded.count; i++)
        free(loaded.paths[i]);
    return found;
}

static bool search_program(const char *symbol, struct host_library *library)
{
    return search_next(symbol, library) || search_loaded(symbol, library);
}

bool host_search_program(const char *symbol, struct host_library *library)
{
    return !host_search_is_by_path(symbol) && search_program(symbol, library);
}

static bool is_plain(const char *symbol)
{
    return strcmp(symbol, symbol_name(interface_sentinel(INTERFACE_NAME_))) == 0 ||
           strcmp(symbol, symbol_name(interface_sentinel(INTERFACE_cblas_NAME))) == 0;
}

bool host_search_means_wide(void *handle, const char *symbol)
{
    const void *answering = is_plain(symbol) ? object_base(loader_symbol(handle, symbol)) : NULL;
    return answering && answering == object_base(loader_symbol(handle, HOST_SEARCH_WIDE_MARKER));
}

bool host_search(const char *symbol, struct host_library *library)
{
    if (symbol_name_is_lapack(symbol))
        return host_search_program(symbol, library) ||
               host_paths_search(symbol, host_search_by_path && host_search_wide, library);
    bool wide = host_search_by_path ? host_search_wide && is_plain(symbol)
                                    : host_search_means_wide(RTLD_NEXT, symbol);
    if (wide)
        return host_paths_search(symbol, true, library);
    return host_search_program(symbol, library) || host_paths_search(symbol, false, library) ||
           (host_search_by_path && !host_search_wide && search_program(symbol, library));
}

void host_search_release(struct host_library *library)
{
    if (library->is_callers)
        dlclose(library->handle);
    library->is_callers = false;
    library->handle = NULL;
}

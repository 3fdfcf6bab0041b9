#include "interpose/host_search.h"
#include "common/loaded_segment.h"
#include "interpose/host_paths.h"

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

static const void *object_base(const void *address)
{
    Dl_info where;
    return address && dladdr(address, &where) ? where.dli_fbase : NULL;
}

/* True when `address` lies in this library or in another build of mublas. */
static bool is_mublas(const void *address)
{
    Dl_info where;
    if (!dladdr(address, &where))
        return false;
    if (where.dli_fbase == object_base(&own_marker))
        return true;
    void *object = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!object)
        return false;
    bool ours = object_base(dlsym(object, HOST_SEARCH_MARKER)) == where.dli_fbase;
    dlclose(object);
    return ours;
}

host_function *host_search_function(const struct host_library *library, const char *symbol)
{
    void *address = dlsym(library->handle, symbol);
    bool known = (uintptr_t)address >= library->start && (uintptr_t)address < library->end;
    return address && (known || !is_mublas(address)) ? (host_function *)address : NULL;
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

/* Does `handle` answer for the symbol? dladdr and dlopen are slow, and this runs
 * whenever a program starts: remember the code segment, which has the rest too. */
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
    return host_search_in(RTLD_NEXT, symbol, "next in the program's search order", library);
}

bool host_search_next(const char *symbol, struct host_library *library)
{
    return !host_search_by_path && search_next(symbol, library);
}

host_function *host_search_early(const char *symbol)
{
    return (host_function *)dlsym(RTLD_NEXT, symbol);
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
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
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
    return !host_search_by_path && search_program(symbol, library);
}

static bool is_plain(const char *symbol)
{
    return strcmp(symbol, symbol_name(interface_sentinel(INTERFACE_NAME_))) == 0 ||
           strcmp(symbol, symbol_name(interface_sentinel(INTERFACE_cblas_NAME))) == 0;
}

bool host_search_means_wide(void *handle, const char *symbol)
{
    const void *answering = is_plain(symbol) ? object_base(dlsym(handle, symbol)) : NULL;
    return answering && answering == object_base(dlsym(handle, HOST_SEARCH_WIDE_MARKER));
}

bool host_search(const char *symbol, struct host_library *library)
{
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

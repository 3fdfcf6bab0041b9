#include "host/host_search.h"
#include "common/loader.h"
#include "host/host_paths.h"
#include "host/start_objects.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

__attribute__((weak)) bool host_search_by_path = false;
__attribute__((weak)) bool host_search_wide = false;

static const void *object_base(const void *address)
{
    Dl_info where;
    return address && loader_address(address, &where) ? where.dli_fbase : NULL;
}

/* The program's LAPACK stands behind -lmublas. */
bool host_search_is_by_path(const char *symbol)
{
    return host_search_by_path && !symbol_name_is_lapack(symbol);
}

bool host_search_at_start(const char *symbol, struct host_library *library)
{
    return !host_search_is_by_path(symbol) && host_library_at_start(symbol, library);
}

bool host_search_next(const char *symbol, struct host_library *library)
{
    return !host_search_is_by_path(symbol) && host_library_next_in_order(symbol, library);
}

host_function *host_search_early(const char *symbol)
{
    const void *address;
    host_library_note_start();
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
    if (handle && host_library_in(handle, symbol, "already loaded by the program", library))
        return true;
    if (handle)
        loader_close(handle);
    return false;
}

static bool search_loaded(const char *symbol, struct host_library *library)
{
    struct loaded_libraries loaded = {0};
    bool found = false;
    loader_objects(note_library, &loaded);
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
    return host_library_next_in_order(symbol, library) || search_loaded(symbol, library);
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
    return answering && answering == object_base(loader_symbol(handle, HOST_LIBRARY_WIDE_MARKER));
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

#include "host/host_search.h"
#include "common/loader.h"
#include "common/log.h"
#include "common/settings.h"
#include "host/symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Does the library offer BLAS by other names than the one searched for? */
static bool has_other_names(void *handle)
{
    static const char *const names[] = {
        "dgemm_",         "dgemm_64_",      "scipy_dgemm_",      "scipy_dgemm_64_",      "cblas_dgemm",
        "cblas_dgemm_64", "cblas_dgemm64_", "scipy_cblas_dgemm", "scipy_cblas_dgemm64_",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (loader_symbol(handle, names[i]))
            return true;
    return false;
}

/* Found, or why not; "" when the library is a BLAS, but one without the symbol. */
static const char *open_library(const char *path, const char *symbol, const char *origin,
                                struct host_library *library)
{
    const char *reason = "it has no BLAS for mublas to use";
    const char *error;
    void *handle = loader_open_or_why(path, RTLD_LAZY | RTLD_LOCAL, &error);
    if (!handle)
        return error;
    if (host_library_in(handle, symbol, origin, library))
        return NULL;
    if (loader_symbol(handle, HOST_LIBRARY_MARKER))
        reason = "it is mublas itself";
    else if (has_other_names(handle))
        reason = "";
    loader_close(handle);
    return reason;
}

/* Libraries that somebody named. */
struct named_source {
    const char *setting; /* for the message */
    const char *origin;
    atomic_flag said;
};

static void complain(struct named_source *source, const char *path, const char *reason)
{
    if (!atomic_flag_test_and_set(&source->said))
        log_message(LOG_ERROR, "%s: cannot use %s as the host BLAS: %s", source->setting, path, reason);
}

typedef bool suits_function(const struct host_library *);

static bool is_suitable(struct host_library *library, suits_function *suits)
{
    if (!suits || suits(library))
        return true;
    loader_close(library->handle);
    return false;
}

/* `paths` may be several with colons between, for names with and without 64-bit suffix. */
static bool search_named(struct named_source *source, const char *paths, const char *symbol,
                         suits_function *suits, struct host_library *library)
{
    char path[PATH_MAX];
    for (size_t length; *paths; paths += length + (paths[length] == ':')) {
        length = strcspn(paths, ":");
        if (length == 0 || length >= sizeof path)
            continue;
        memcpy(path, paths, length);
        path[length] = 0;
        const char *reason = open_library(path, symbol, source->origin, library);
        if (!reason && is_suitable(library, suits))
            return true;
        if (reason && *reason)
            complain(source, path, reason);
    }
    return false;
}

static struct named_source set = {"MUBLAS_HOST_BLAS", "set by MUBLAS_HOST_BLAS", ATOMIC_FLAG_INIT};

void host_paths_check_setting(void)
{
    const char *path = settings()->host_blas;
    if (!host_library_stands_behind() && strchr(path, '/') && !strchr(path, ':') && access(path, R_OK) != 0)
        complain(&set, path, strerror(errno));
}

/* Whether `path` is one of those in `paths`, with colons between. */
static bool path_is_among(const char *path, const char *paths)
{
    const size_t length = strlen(path);
    for (;; paths++) {
        const size_t here = strcspn(paths, ":");
        if (here == length && memcmp(paths, path, length) == 0)
            return true;
        paths += here;
        if (!*paths)
            return false;
    }
}

void host_paths_tell_unused(enum interface interface, const struct host_library *used)
{
    const char *const path = settings()->host_blas;
    if (!*path || used->origin == set.origin || interface_is_lapack(interface) || host_search_by_path ||
        path_is_among(used->path, path) || host_library_has_company() || atomic_flag_test_and_set(&set.said))
        return;
    log_message(LOG_WARNING, "%s=%s is not used: the program brings %s (%s)", set.setting, path, used->path,
                used->origin);
}

static struct named_source configured = {"configured host BLAS (--with-host-blas)", "the configured default",
                                         ATOMIC_FLAG_INIT};

/* Both languages of a library take the same. The C routine may call the Fortran one by its
 * name, which is another library's here. */
static bool takes_64_bits(const struct host_library *library)
{
    enum interface asked = INTERFACE_NAME_;
    host_function *isamax = host_library_function(library, symbol_name(width_telling_symbol(asked)));
    if (!isamax) {
        asked = INTERFACE_cblas_NAME;
        isamax = host_library_function(library, symbol_name(width_telling_symbol(asked)));
    }
    return isamax && width_ask(asked, isamax) == WIDTH_64;
}

static const char by_well_known_name[] = "found under a well-known name";

/* Up to a NULL. */
static const char *const blas_names[] = {
    "libblas.so.3",     "libopenblas.so.0", "libblis.so.4",    "libmkl_rt.so.3",     "libmkl_rt.so.2",
    "libflexiblas.so.3", "libtatlas.so.3",   "libsatlas.so.3",  "libcblas.so.3",      "libf77blas.so.3",
    "libopenblas64_.so.0", "libblas64_.so.3", "libblas.so",     "libopenblas.so",     "libopenblas64_.so",
    MUBLAS_DEFAULT_HOST_BLAS, NULL,
};
static const char *const lapack_names[] = {
    "liblapack.so.3",   "libopenblas.so.0",  "libmkl_rt.so.3", "libmkl_rt.so.2", "libflexiblas.so.3",
    "libopenblas64_.so.0", "liblapack64_.so.3", "liblapack.so",   "libopenblas.so", "libopenblas64_.so", NULL,
};
/* The same of those whose plain names take 64-bit integers. */
static const char *const wide_blas_names[] = {"libblas64.so.3", "libopenblas64.so.0", "libblis64.so.4", NULL};
static const char *const wide_lapack_names[] = {"liblapack64.so.3", "libopenblas64.so.0", NULL};

static bool search_well_known(const char *const *names, const char *symbol, suits_function *suits,
                              struct host_library *library)
{
    for (; *names; names++)
        if (!open_library(*names, symbol, by_well_known_name, library) && is_suitable(library, suits))
            return true;
    return false;
}

/* Opens the library that mublas took the place of, by Debian's alternatives (mublas-alternatives). */
static bool search_previous(const char *symbol, struct host_library *library)
{
    static const char path[] = MUBLAS_PREVIOUS_BLAS;
    return access(path, R_OK) == 0 &&
           !open_library(path, symbol, "the system's libblas.so.3 before mublas", library);
}

static bool search_named_sources(const char *symbol, suits_function *suits, struct host_library *library)
{
    return search_named(&set, settings()->host_blas, symbol, suits, library) ||
           search_named(&configured, MUBLAS_CONFIGURED_HOST_BLAS, symbol, suits, library);
}

/* Searches libraries whose plain names take 64-bit integers. */
static bool search_plain(const char *symbol, struct host_library *library)
{
    static const char previous[] = MUBLAS_PREVIOUS_BLAS64;
    if (search_named_sources(symbol, takes_64_bits, library))
        return true;
    if (access(previous, R_OK) == 0 &&
        !open_library(previous, symbol, "the system's libblas64.so.3 before mublas", library) &&
        is_suitable(library, takes_64_bits))
        return true;
    return search_well_known(symbol_name_is_lapack(symbol) ? wide_lapack_names : wide_blas_names, symbol,
                             takes_64_bits, library);
}

bool host_paths_search_plain(enum interface interface, struct host_library *library)
{
    return interface_width(interface) == WIDTH_64 &&
           search_plain(symbol_name(symbol_plain(interface_sentinel(interface))), library);
}

bool host_paths_search(const char *symbol, bool wide, struct host_library *library)
{
    if (wide)
        return search_plain(symbol, library);
    if (symbol_name_is_lapack(symbol))
        return search_named_sources(symbol, NULL, library) ||
               search_well_known(lapack_names, symbol, NULL, library);
    return search_named_sources(symbol, NULL, library) || search_previous(symbol, library) ||
           search_well_known(blas_names, symbol, NULL, library);
}

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

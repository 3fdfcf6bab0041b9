#define _GNU_SOURCE
#include "host_lapack.h"
#include "own_scope.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void stop(const char *what)
{
    fprintf(stderr, "no host LAPACK: %s\n", what);
    exit(2);
}

static const char *host_path(void)
{
    const char *path = getenv("ROUTES_HOST_LAPACK");
    if (path)
        return path;
    void *const library = dlopen("liblapack.so.3", RTLD_NOW);
    struct link_map *map;
    if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        stop(dlerror());
    return map->l_name;
}

/* The same file again would be the same library. */
static void *open_copy(const char *path)
{
    struct stat status;
    char name[64];
    const int file = open(path, O_RDONLY | O_CLOEXEC), copy = memfd_create("liblapack", MFD_CLOEXEC);
    if (file < 0 || copy < 0 || fstat(file, &status) != 0)
        stop(path);
    for (off_t left = status.st_size; left > 0;) {
        const ssize_t sent = sendfile(copy, file, NULL, (size_t)left);
        if (sent <= 0)
            stop(path);
        left -= sent;
    }
    snprintf(name, sizeof name, "/proc/self/fd/%d", copy);
    void *const library = own_scope_open(name);
    close(file), close(copy);
    return library;
}

void *host_function(const char *name)
{
    static void *library;
    char symbol[32];
    if (!library && !(library = open_copy(host_path())))
        stop(dlerror());
    snprintf(symbol, sizeof symbol, "%s_", name);
    void *const function = dlsym(library, symbol);
    if (!function)
        stop(name);
    return function;
}

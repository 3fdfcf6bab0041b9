#include "command/run/preload.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Puts `more` before or after what the variable holds already, with the separator between. */
static bool extend(const char *name, const char *more, const char *separator, bool in_front)
{
    const char *present = getenv(name);
    char *value;
    if (!present || !*present)
        return setenv(name, more, 1) == 0;
    if (asprintf(&value, "%s%s%s", in_front ? more : present, separator, in_front ? present : more) < 0)
        return false;
    bool good = setenv(name, value, 1) == 0;
    free(value);
    return good;
}

#define SHIM "libmublas_shim.so"

/* The folder of this command's file; NULL: unknown. */
static char *own_folder(char path[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    return path;
}

static bool find_beside(const char *folder, char path[PATH_MAX])
{
    static const char *const places[] = {
        "", "/.libs", "/../lib", "/../lib/" MUBLAS_MULTIARCH, "/../lib64", "/../.libs",
    };
    char tried[PATH_MAX + 64];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(tried, sizeof tried, "%s%s/" SHIM, folder, places[i]);
        if (access(tried, R_OK) == 0 && realpath(tried, path))
            return true;
    }
    return false;
}

const char *preload_find_shim(const char *who)
{
    static char path[PATH_MAX];
    char own[PATH_MAX];
    const char *folder = own_folder(own);
    if (!folder || !find_beside(folder, path))
        snprintf(path, sizeof path, "%s", MUBLAS_SHIM);
    if (access(path, R_OK) != 0)
        fprintf(stderr,
                "%s: " SHIM " is neither beside the command in %s, nor in ../lib from there, nor %s\n", who,
                folder ? folder : "its folder", MUBLAS_SHIM);
    else if (strpbrk(path, " :"))
        fprintf(stderr, "%s: %s: a path with a space or a colon cannot be preloaded\n", who, path);
    else
        return path;
    return NULL;
}

bool preload_set_environment(const char *shim, bool huge_pages)
{
    const char *tunables = getenv("GLIBC_TUNABLES");
    if (!extend("LD_PRELOAD", shim, ":", true))
        return false;
    if (!huge_pages || (tunables && strstr(tunables, "glibc.malloc.hugetlb")))
        return true;
    return extend("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", ":", false);
}

#include "command/preload.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "NAME=more" before or after what the variable holds already, with the separator. */
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

const char *preload_find_shim(void)
{
    static const char *const places[] = {"/.libs/libmublas_shim.so", "/../.libs/libmublas_shim.so",
                                         "/../lib/libmublas_shim.so"};
    static char path[PATH_MAX + 64];
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    char *slash = NULL;
    if (length > 0) {
        own[length] = '\0';
        slash = strrchr(own, '/');
    }
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%.*s%s", (int)(slash - own), own, places[i]);
        if (access(path, R_OK) == 0)
            return path;
    }
    return access(MUBLAS_SHIM, R_OK) == 0 ? MUBLAS_SHIM : NULL;
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

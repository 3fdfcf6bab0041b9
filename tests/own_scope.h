/* own_scope.h - opens a library whose calls find its own libraries before the program's, so that none of them
 * comes to a preloaded shim.
 *
 * The sanitizers' runtimes refuse RTLD_DEEPBIND in the dlopen that they put before the C library's, for a
 * library might then free by one malloc what it has from the other. LAPACK itself has no such memory: for it
 * the C library's own dlopen does. The libraries that it needs, of which that is not so, are loaded
 * before. */
#ifndef TESTS_OWN_SCOPE_H
#define TESTS_OWN_SCOPE_H

#include <dlfcn.h>
#include <string.h>

/* Resolves everything now and shows the library's names to nobody else. NULL: see dlerror. */
static inline void *own_scope_open(const char *path)
{
    void *(*own_dlopen)(const char *, int) = dlopen;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    static const char *const homes[] = {"libc.so.6", "libdl.so.2"}; /* before glibc 2.34 the second */
    for (int i = 0; i < 2; i++) {
        void *const home = dlopen(homes[i], RTLD_LAZY | RTLD_NOLOAD);
        void *const found = home ? dlsym(home, "dlopen") : NULL;
        if (found) {
            memcpy(&own_dlopen, &found, sizeof found);
            break;
        }
    }
#endif
    return own_dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
}

#endif

/* The LAPACK under the emulated cuSOLVER, which is never mublas: the program may be linked with mublas, or that may
 * be the system's liblapack.so.3 and libblas.so.3, and a routine of it would wait for the device that waits for
 * the routine. So the reference's files are opened by their own paths, and as copies in which the BLAS has a name
 * that no other library has: the loader would take any libblas.so.3 that is there already for it. */
#include "emulated_driver/cusolver.h"
#include "own_scope.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static const char blas_name[] = "libblas.so.3", own_name[] = "libbl+s.so.3"; /* of one length */

/* For the libraries that LAPACK needs. The sanitizers' runtimes refuse RTLD_DEEPBIND (own_scope.h). */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { THEIR_SCOPE = 0 };
#else
enum { THEIR_SCOPE = RTLD_DEEPBIND };
#endif

/* A copy of the file, in memory. Negative: it cannot be made. */
static int copy_file(const char *path)
{
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC), copy = memfd_create("liblapack", MFD_CLOEXEC);
    off_t left = file >= 0 && fstat(file, &status) == 0 ? status.st_size : -1;
    while (left > 0 && copy >= 0) {
        const ssize_t sent = sendfile(copy, file, NULL, (size_t)left);
        left = sent > 0 ? left - sent : -1;
    }
    close(file);
    if (left == 0)
        return copy;
    close(copy);
    return -1;
}

/* The BLAS as what the library needs, or as its own name. */
static void rename_blas(int copy)
{
    struct stat status;
    char *const begin = fstat(copy, &status) == 0
                            ? mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, copy, 0)
                            : MAP_FAILED;
    if (begin == MAP_FAILED)
        return;
    char *at = begin, *const end = begin + status.st_size;
    while ((at = memmem(at, (size_t)(end - at), blas_name, sizeof blas_name)))
        memcpy(at, own_name, sizeof own_name);
    munmap(begin, (size_t)status.st_size);
}

/* Each library by a folder of descriptors of its own: the loader takes a path that it knows for the library that
 * it knows. NULL: it cannot be opened. */
static void *open_copy(const char *path, const char *folder, bool renamed)
{
    char name[64];
    const int copy = copy_file(path);
    if (copy < 0)
        return NULL;
    if (renamed)
        rename_blas(copy);
    snprintf(name, sizeof name, "%s/%d", folder, copy);
    void *const library = own_scope_open(name);
    close(copy);
    return library;
}

static bool is_there(const char *path)
{
    return strchr(path, '/') && access(path, R_OK) == 0;
}

/* Under sanitizers the libraries that LAPACK needs, such as Fortran's, are loaded before (own_scope.h). */
static void load_what_it_needs(const char *path)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    dlopen(path, RTLD_NOW | RTLD_LOCAL);
#endif
    (void)path;
}

static void *open_reference(void)
{
    load_what_it_needs(EMULATED_REFERENCE_LAPACK);
    const bool own_blas =
        is_there(EMULATED_REFERENCE_BLAS) && open_copy(EMULATED_REFERENCE_BLAS, "/proc/thread-self/fd", true);
    return open_copy(EMULATED_REFERENCE_LAPACK, "/proc/self/fd", own_blas);
}

/* A copy, for the file itself may be loaded by the program already, bound to the program's own ilaenv_ or
 * xerbla_, as LAPACK's testers have them. */
static void *open_named(const char *name)
{
    struct link_map *map;
    void *const library = dlopen(name, RTLD_NOW | RTLD_LOCAL | THEIR_SCOPE);
    if (library && dlsym(library, "mublas_passes_lapack_to"))
        solver_abort("%s is mublas' own; say by EMULATED_HOST_LAPACK which is not", name);
    void *const copied =
        library && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? open_copy(map->l_name, "/proc/self/fd", false) : NULL;
    return copied ? copied : library;
}

void *solver_open_library(void)
{
    const char *const name = getenv("EMULATED_HOST_LAPACK");
    if (name && *name)
        return open_named(name);
    return is_there(EMULATED_REFERENCE_LAPACK) ? open_reference() : open_named("liblapack.so.3");
}

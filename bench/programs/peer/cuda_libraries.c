#include "cuda_libraries.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const drivers[] = {"libcuda.so.1", NULL};
static const char *const solvers[] = {"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so",
                                      "/usr/local/cuda/lib64/libcusolver.so", NULL};

static void *open_one(const char *const *names)
{
    char *reason = NULL;
    for (size_t i = 0; names[i]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
        if (!reason)
            reason = dlerror();
    }
    fprintf(stderr, "cusolver: cannot open %s: %s\n", names[0], reason);
    exit(NOT_THERE);
}

/* POSIX: a function's address comes as void *. */
static void find(void *library, const char *name, void *place)
{
    *(void **)place = dlsym(library, name);
}

static void need(const char *name, int there)
{
    if (there)
        return;
    fprintf(stderr, "cusolver: %s is not there\n", name);
    exit(NOT_THERE);
}

void cuda_libraries_open(struct cuda_libraries *libraries)
{
    void *driver = open_one(drivers), *solver = open_one(solvers);
#define DRIVER_FUNCTION(member, symbol, parameters)                                                          \
    find(driver, symbol, &libraries->member);                                                                \
    need(symbol, libraries->member != NULL);
#define SOLVER_FUNCTION(member, symbol, parameters) find(solver, symbol, &libraries->member);
#include "cuda_functions.def"
#undef DRIVER_FUNCTION
#undef SOLVER_FUNCTION
    need("cusolverDnCreate", libraries->create != NULL);
    need("cusolverDnSetStream", libraries->set_stream != NULL);
    need("cusolverDnCreateParams", libraries->create_params != NULL);
}

#include "cuda_libraries.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const runtimes[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so", NULL};
static const char *const solvers[] = {"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so", NULL};

static void *open_one(const char *const *names)
{
    for (size_t i = 0; names[i]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    fprintf(stderr, "cusolver: cannot open %s: %s\n", names[0], dlerror());
    exit(NOT_THERE);
}

/* POSIX: a function's address comes as void *. */
static void find(void *library, const char *name, void *place)
{
    void *symbol = dlsym(library, name);
    if (!symbol) {
        fprintf(stderr, "cusolver: %s is not there\n", name);
        exit(NOT_THERE);
    }
    *(void **)place = symbol;
}

void cuda_libraries_open(struct cuda_libraries *libraries)
{
    void *runtime = open_one(runtimes), *solver = open_one(solvers);
    find(runtime, "cudaMalloc", &libraries->malloc);
    find(runtime, "cudaFree", &libraries->free);
    find(runtime, "cudaMemcpy", &libraries->memcpy);
    find(solver, "cusolverDnCreate", &libraries->create);
    find(solver, "cusolverDnCreateParams", &libraries->create_params);
    find(solver, "cusolverDnDsytrd_bufferSize", &libraries->dsytrd_size);
    find(solver, "cusolverDnDsytrd", &libraries->dsytrd);
    find(solver, "cusolverDnDsyevd_bufferSize", &libraries->dsyevd_size);
    find(solver, "cusolverDnDsyevd", &libraries->dsyevd);
    find(solver, "cusolverDnDsyevdx_bufferSize", &libraries->dsyevdx_size);
    find(solver, "cusolverDnDsyevdx", &libraries->dsyevdx);
    find(solver, "cusolverDnZheevd_bufferSize", &libraries->zheevd_size);
    find(solver, "cusolverDnZheevd", &libraries->zheevd);
    find(solver, "cusolverDnDpotrf_bufferSize", &libraries->dpotrf_size);
    find(solver, "cusolverDnDpotrf", &libraries->dpotrf);
    find(solver, "cusolverDnDpotrs", &libraries->dpotrs);
    find(solver, "cusolverDnDDgels_bufferSize", &libraries->dgels_size);
    find(solver, "cusolverDnDDgels", &libraries->dgels);
    find(solver, "cusolverDnXgesvdp_bufferSize", &libraries->gesvdp_size);
    find(solver, "cusolverDnXgesvdp", &libraries->gesvdp);
}

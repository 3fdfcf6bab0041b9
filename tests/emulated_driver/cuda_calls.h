/* cuda_calls.h - libcuda.so.1, real or emulated, as the programs under test see it, for tests
 * that are such programs themselves: mublas' table of the driver, and what captures graphs. */
#ifndef MUBLAS_TESTS_CUDA_CALLS_H
#define MUBLAS_TESTS_CUDA_CALLS_H

#include "emulated_driver/program.h"
#include "gpu/driver.h"
#include "tap.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct driver cuda;
__attribute__((unused)) static struct {
    __typeof(cuStreamBeginCapture_v2) *begin;
    __typeof(cuStreamEndCapture) *end;
    __typeof(cuGraphClone) *clone;
    __typeof(cuGraphInstantiateWithFlags) *instantiate;
    __typeof(cuGraphLaunch) *launch;
    __typeof(cuGraphExecDestroy) *destroy_executable;
    __typeof(cuGraphDestroy) *destroy;
} graphs;

static inline void look_up(void *library, const char *symbol, void *member)
{
    void *address = dlsym(library, symbol);
    if (!address) {
        printf("Bail out! libcuda.so.1 has no %s\n", symbol);
        exit(1);
    }
    memcpy(member, &address, sizeof address);
}

/* The driver, looked up; skips the whole test, saying `reason`, where there is none that has
 * `needed` (NULL: any will do). */
static inline void *open_cuda(const char *needed, const char *reason)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library || (needed && !dlsym(library, needed)))
        tap_skip_all(reason);
#define DRIVER_FUNCTION(member, symbol, parameters, way) look_up(library, #symbol, &cuda.member);
#include "gpu/driver.def"
#undef DRIVER_FUNCTION
    return library;
}

static inline void look_up_graphs(void *library)
{
    look_up(library, "cuStreamBeginCapture_v2", &graphs.begin);
    look_up(library, "cuStreamEndCapture", &graphs.end);
    look_up(library, "cuGraphClone", &graphs.clone);
    look_up(library, "cuGraphInstantiateWithFlags", &graphs.instantiate);
    look_up(library, "cuGraphLaunch", &graphs.launch);
    look_up(library, "cuGraphExecDestroy", &graphs.destroy_executable);
    look_up(library, "cuGraphDestroy", &graphs.destroy);
}

static inline void must(int result, const char *what)
{
    if (result == 0)
        return;
    printf("Bail out! %s gave %d\n", what, result);
    exit(1);
}
#define MUST(call) must((int)(call), #call)

#endif

#define _GNU_SOURCE
#include "coherence_device.h"

#include "emulated_driver/emulated.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct device_functions *functions;
static __typeof(emulated_set_faults) *set_faults;

/* Beside this program: .libs/coherence_device.so. */
static bool load_device(void)
{
    char path[4096];
    const char *given = getenv("COHERENCE_DEVICE");
    Dl_info self;
    dladdr(device_begin, &self);
    const char *slash = strrchr(self.dli_fname, '/');
    int directory = slash ? (int)(slash + 1 - self.dli_fname) : 0;
    snprintf(path, sizeof path, "%.*s.libs/coherence_device.so", directory, self.dli_fname);
    void *library = dlopen(given ? given : path, RTLD_NOW | RTLD_LOCAL);
    const struct device_functions *found = library ? dlsym(library, "device_functions") : NULL;
    if (!found)
        printf("# %s\n", dlerror());
    if (!found || !found->begin(0))
        return false;
    __atomic_store_n(&functions, found, __ATOMIC_RELEASE);
    return true;
}

/* A program that knows nothing of CUDA has its driver's name nowhere. */
static bool find_faults(void)
{
    char name[20];
    snprintf(name, sizeof name, "%s.so.1", "libcuda");
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, "emulated_set_faults") : NULL;
    memcpy(&set_faults, &address, sizeof address);
    return address != NULL;
}

bool device_begin(int uses)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    bool good = !(uses & DEVICE_COPIES) || functions || load_device();
    if (good && uses & DEVICE_COPIES)
        functions->begin(uses);
    if (uses & DEVICE_FAULTS && !set_faults)
        good = find_faults() && good;
    if (!good)
        printf("# the program cannot use %s\n",
               uses & DEVICE_FAULTS ? "a driver that fails at will" : "CUDA itself");
    pthread_mutex_unlock(&lock);
    return good;
}

static const struct device_functions *loaded(void)
{
    return __atomic_load_n(&functions, __ATOMIC_ACQUIRE);
}

bool device_copy(struct arena *arena, size_t index, size_t length, struct random *random)
{
    return loaded() && loaded()->copy(arena, index, length, random);
}

void device_unpin(struct arena *arena)
{
    if (loaded())
        loaded()->unpin(arena);
}

void device_fault(struct random *random)
{
    /* Out of memory, refusals, and results that stop half way; none that loses the device. */
    static const char *const faults[] = {
        "cuMemCreate:%d:2",
        "cuMemMap:%d:2",
        "cuMemAddressReserve:%d:2",
        "cuMemAlloc_v2:%d:2",
        "cuMemSetAccess:%d:2",
        "cuMemHostRegister_v2:%d:2",
        "cuMemHostRegister_v2:%d:1",
        "cuMemHostAlloc:%d:2",
        "cuLaunchKernel:%d:701",
        "cuMemcpyHtoDAsync_v2:%d:1",
        "cuMemcpyDtoHAsync_v2:%d:1",
        "cuMemcpy2DAsync_v2:%d:1",
        "KERNEL:%d:701",
        "COPY_BACK:%d:1",
        "cuStreamSynchronize:%d:1",
    };
    char script[60];
    if (!set_faults)
        return;
    size_t which = random_below(random, sizeof faults / sizeof *faults);
    int number = 1 + (int)random_below(random, 4);
    snprintf(script, sizeof script, faults[which], number);
    set_faults(script);
    disturbance_count(DEVICE_FAULT);
}

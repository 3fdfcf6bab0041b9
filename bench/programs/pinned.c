#include "pinned.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* The CUDA driver's interface restated, since programs are built where there is no CUDA. */
struct driver {
    int (*initialise)(unsigned flags);
    int (*retain_context)(void **context, int device);
    int (*set_context)(void *context);
    int (*pin)(void *memory, size_t bytes, unsigned flags);
};
enum { PORTABLE = 1 };

static void give_up(const char *what)
{
    fprintf(stderr, "no pinned memory: %s\n", what);
    exit(1);
}

static void find(void *library, const char *name, void *place)
{
    *(void **)place = dlsym(library, name);
    if (!*(void **)place)
        give_up(name);
}

static void open_driver(struct driver *driver)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context;
    if (!library)
        give_up(dlerror());
    find(library, "cuInit", &driver->initialise);
    find(library, "cuDevicePrimaryCtxRetain", &driver->retain_context);
    find(library, "cuCtxSetCurrent", &driver->set_context);
    find(library, "cuMemHostRegister_v2", &driver->pin);
    if (driver->initialise(0) != 0 || driver->retain_context(&context, 0) != 0 ||
        driver->set_context(context) != 0)
        give_up("no CUDA device");
}

void pin(void *memory, size_t bytes)
{
    static struct driver driver;
    if (!driver.pin)
        open_driver(&driver);
    if (driver.pin(memory, bytes, PORTABLE) != 0)
        give_up("cuMemHostRegister fails");
}

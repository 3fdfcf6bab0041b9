/* Opens the driver. */
#include <dlfcn.h>

void *driver_opener(void);

void *driver_opener(void)
{
    return dlopen("libcuda.so.1", RTLD_NOW);
}

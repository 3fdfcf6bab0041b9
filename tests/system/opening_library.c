/* A preloaded library whose constructor opens the BLAS that $OPENED names, for itself alone. */
#include <dlfcn.h>
#include <stdlib.h>

__attribute__((constructor)) static void open_blas(void)
{
    const char *path = getenv("OPENED");
    if (path && !dlopen(path, RTLD_LAZY | RTLD_LOCAL))
        abort();
}

#include "common/processors.h"

#include <sched.h>
#include <stdlib.h>

int processors_usable(void)
{
    cpu_set_t processors;
    CPU_ZERO(&processors);
    if (sched_getaffinity(0, sizeof processors, &processors) != 0 || CPU_COUNT(&processors) < 1)
        return 1;
    return CPU_COUNT(&processors);
}

int processors_for_blas(void)
{
    static const char *const names[] = {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS",
                                        "OMP_NUM_THREADS"};
    const int usable = processors_usable();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = secure_getenv(names[i]);
        long threads = value ? strtol(value, NULL, 10) : 0;
        if (threads > 0)
            return threads < usable ? (int)threads : usable;
    }
    return usable;
}

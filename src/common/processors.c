#include "common/processors.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

int processors_usable(void)
{
    cpu_set_t processors;
    CPU_ZERO(&processors);
    if (sched_getaffinity(0, sizeof processors, &processors) != 0 || CPU_COUNT(&processors) < 1)
        return 1;
    return CPU_COUNT(&processors);
}

int processors_online(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
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

int processors_vector_bytes(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        return 64;
    return __builtin_cpu_supports("avx2") ? 32 : 16;
#else
    return 16;
#endif
}

size_t processors_cache_bytes(void)
{
    const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? (size_t)bytes : 0;
}

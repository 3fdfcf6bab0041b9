#include "common/processors.h"

#include <sched.h>

int processors_usable(void)
{
    cpu_set_t processors;
    CPU_ZERO(&processors);
    if (sched_getaffinity(0, sizeof processors, &processors) != 0 || CPU_COUNT(&processors) < 1)
        return 1;
    return CPU_COUNT(&processors);
}

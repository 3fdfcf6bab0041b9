#include "mirror/object_loads.h"

#include <link.h>

static int take_count(struct dl_phdr_info *info, size_t size, void *loads)
{
    (void)size;
    *(unsigned long long *)loads = info->dlpi_adds;
    return 1;
}

unsigned long long object_loads(void)
{
    unsigned long long loads = 0;
    dl_iterate_phdr(take_count, &loads);
    return loads;
}

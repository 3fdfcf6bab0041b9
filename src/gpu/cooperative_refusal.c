#include "gpu/cooperative_refusal.h"

#include <stdatomic.h>

/* A bit for each device by its ordinal. Two that share one share the answer, which costs no more than time.
 */
static _Atomic uint64_t refused;

static uint64_t bit_of(const struct device *device)
{
    return UINT64_C(1) << (unsigned)device_properties(device)->ordinal % 64;
}

void cooperative_refuse(const struct device *device)
{
    atomic_fetch_or(&refused, bit_of(device));
}

bool cooperative_is_refused(const struct device *device)
{
    return (atomic_load(&refused) & bit_of(device)) != 0;
}

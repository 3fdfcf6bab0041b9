#include "emulated_driver/processor.h"

#include <math.h>
#include <stdlib.h>

static struct device_kind kinds[DEVICES_MAX];
static int count;

static void read_kind(struct device_kind *kind, int place)
{
    option_listed_word("EMULATED_NAMES", place, "Emulated device", kind->name, sizeof kind->name);
    kind->memory = (size_t)option_listed("EMULATED_DEVICE_MEMORY", place, 8L << 30);
    kind->occupied = (size_t)option_listed("EMULATED_OCCUPIED", place, 0);
    kind->compute_mode = option_listed("EMULATED_COMPUTE_MODE", place, 0);
    kind->multiprocessors = option_listed("EMULATED_MULTIPROCESSORS", place, 132);
    kind->clock = option_listed("EMULATED_CLOCK", place, 1980000);
    kind->memory_clock = option_listed("EMULATED_MEMORY_CLOCK", place, 2619000);
    kind->cooperative = option_listed("EMULATED_COOPERATIVE", place, 0);
    kind->cluster = option_listed("EMULATED_CLUSTER", place, 0);
    kind->host_page_tables = option_listed("EMULATED_HOST_PAGE_TABLES", place, 0);
    kind->mps = option_listed("EMULATED_MPS", place, 0);
    kind->shared = option_listed("EMULATED_SHARED", place, SHARED_BYTES);
    if (kind->cluster > CLUSTER_BLOCKS_MAX)
        emulated_abort("EMULATED_CLUSTER: at most %d", CLUSTER_BLOCKS_MAX);
    if (kind->shared > SHARED_BYTES)
        emulated_abort("EMULATED_SHARED: at most %d", SHARED_BYTES);
    kind->slow = option_listed("EMULATED_SLOW", place, 0);
    kind->link = option_listed_real("EMULATED_LINK", place, HUGE_VAL);
    kind->compute = option_listed_real("EMULATED_COMPUTE", place, HUGE_VAL);
}

/* CUDA_VISIBLE_DEVICES is a list of ordinals, which ends at the first that does not exist. */
void kinds_read(void)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    const long devices = options()->devices;
    if (devices > DEVICES_MAX)
        emulated_abort("EMULATED_DEVICES: at most %d", DEVICES_MAX);
    count = 0;
    if (!visible)
        while (count < devices) {
            read_kind(&kinds[count], count);
            count++;
        }
    while (visible && *visible >= '0' && *visible <= '9' && count < DEVICES_MAX) {
        char *end;
        const long place = strtol(visible, &end, 10);
        if (place >= devices)
            break;
        read_kind(&kinds[count++], (int)place);
        visible = end + (*end == ',');
    }
}

int kinds_count(void)
{
    return count;
}

const struct device_kind *device_kind(CUdevice device)
{
    return &kinds[device];
}

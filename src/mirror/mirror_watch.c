/* What may change behind the mirrors: writes that come unseen, and others that want device memory. */
#include "mirror/mirror_table.h"

#include "common/loader.h"
#include "common/log.h"
#include "common/settings.h"
#include "mirror/host_memory/blind_files.h"
#include "mirror/host_memory/mapping.h"

enum { WATCH_PERIOD = 64, LIBRARY_PERIOD = 1024, MEMORY_PERIOD = 256 }; /* calls */

/* Has somebody else pinned memory, or may have without a sign in VmPin? `pinning` is held, and given back. */
static bool look_at_pins(struct mirror_resources *resources)
{
    const bool strange = process_pins_bytes(&resources->process_pins) > resources->counted_pins;
    pthread_mutex_unlock(&resources->pinning);
    return strange || blind_files_open();
}

static bool has_blind_spots(struct mirror_table *table, bool libraries, bool pins)
{
    if (libraries && mapping_has_blind_library())
        return true;
    /* While somebody pins, look the next time. */
    if (!pins || pthread_mutex_trylock(&table->space->resources.pinning) != 0)
        return false;
    return look_at_pins(&table->space->resources);
}

static void go_blind(struct mirror_table *table)
{
    /* For good: what was written while nobody looked cannot be found out later. */
    if (!atomic_exchange(&table->space->blind, true))
        log_message(LOG_WARNING,
                    "this process uses memory that can be written unseen (RDMA, XPMEM, AF_XDP, VFIO, "
                    "or pins of others); operands are copied at every call "
                    "(MUBLAS_TRUST_TRACKING=1 overrides)");
}

void mirror_table_watch_pins(struct mirror_table *table)
{
    if (!mirror_table_tracks(table) || settings()->trust_tracking)
        return;
    pthread_mutex_lock(&table->space->resources.pinning);
    if (look_at_pins(&table->space->resources))
        go_blind(table);
}

/* Others may have begun to want device memory. */
static void give_way(struct mirror_table *table)
{
    struct budget *budget = &table->share->budget;
    if (atomic_load(&budget->committed) == 0 || !budget_refresh(budget))
        return;
    while (atomic_load(&budget->committed) > atomic_load(&budget->bytes) && mirror_table_evict(table))
        continue;
}

void mirror_table_watch(struct mirror_table *table, bool now)
{
    const unsigned long long loads = loader_loads();
    pthread_mutex_lock(&table->space->lock);
    bool due = now || ++table->space->calls % WATCH_PERIOD == 0;
    /* A library comes by the loader; whatever else maps such memory is found in time. */
    bool libraries_due = table->space->loads != loads || (due && table->space->calls % LIBRARY_PERIOD == 0);
    table->space->loads = loads;
    bool memory_due = !now && table->space->calls % MEMORY_PERIOD == 0;
    pthread_mutex_unlock(&table->space->lock);
    if (memory_due)
        give_way(table);
    if (!(due || libraries_due) || !mirror_table_tracks(table) || settings()->trust_tracking ||
        !has_blind_spots(table, libraries_due, due))
        return;
    go_blind(table);
}

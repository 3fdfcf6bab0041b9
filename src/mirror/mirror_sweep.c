/* Changes behind the mirrors: writes that come unseen, memory that went away, and others that want device
 * memory. */
#include "common/loader.h"
#include "common/log.h"
#include "common/settings.h"
#include "mirror/host_memory/kernel_interface.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/ledger/account.h"
#include "mirror/mirror_table.h"
#include "mirror/pinning/pins.h"

#include <string.h>

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

enum { SWEEP_MOST = 4, CALLS_BETWEEN = 8 };

static bool memory_is_gone(const struct mirror_table *table, const struct mirror *mirror)
{
    struct write_tracker *tracker = table->space->resources.tracker;
    return atomic_load(&mirror->armed) &&
           !(!registration_is_given_up(mirror) && write_tracker_holds(tracker, mirror->begin) &&
             write_tracker_holds(tracker, page_floor(mirror->end - 1)));
}

static void remove_from_table(struct mirror_table *table, struct mirror *mirror)
{
    pthread_mutex_lock(&table->space->lock);
    mirror_table_remove(table, mirror);
    pthread_mutex_unlock(&table->space->lock);
}

/* Undo its pins if the program has begun to use CUDA, and if `memory`, drop the mirror, its device memory
 * and its pins if the host's memory is not what was registered. The table's lock is held, but not while
 * the mirror is looked at. */
static void look_after(struct mirror_table *table, struct mirror *mirror, bool memory)
{
    if (!claims_try_whole(mirror))
        return; /* in use, so somebody looks at it anyway */
    mirror->references++;
    pthread_mutex_unlock(&table->space->lock);
    if (pins_must_go(mirror))
        pins_give_up(mirror);
    if (memory && memory_is_gone(table, mirror)) {
        remove_from_table(table, mirror);
        mirror_empty(mirror);
    }
    claims_give_whole(mirror);
    mirror_table_release(table, mirror);
    pthread_mutex_lock(&table->space->lock);
}

void mirror_table_sweep(struct mirror_table *table)
{
    pthread_mutex_lock(&table->space->lock);
    for (size_t i = table->space->count; i-- > 0;)
        if (i < table->space->count) /* some may have gone meanwhile */
            look_after(table, table->space->mirrors[i], true);
    pthread_mutex_unlock(&table->space->lock);
}

/* The next in turn, from the last one down. */
static struct mirror *next_of(const struct mirror_table *table, size_t *turn)
{
    *turn = *turn > 0 && *turn <= table->space->count ? *turn - 1 : table->space->count - 1;
    return table->space->mirrors[*turn];
}

/* How many mirrors' memory is looked at during this call. */
static size_t looks_beside(struct mirror_table *table, uint64_t read_bytes)
{
    const uint64_t beside = read_bytes / LOOK_BYTES;
    const size_t looks = beside > 0 ? beside < SWEEP_MOST ? beside : SWEEP_MOST
                                    : ++table->space->calls_unswept >= CALLS_BETWEEN;
    if (looks > 0)
        table->space->calls_unswept = 0;
    return looks;
}

void mirror_table_sweep_some(struct mirror_table *table, uint64_t read_bytes)
{
    pthread_mutex_lock(&table->space->lock);
    const size_t looks = looks_beside(table, read_bytes);
    for (size_t i = 0; i < SWEEP_MOST && i < table->space->count; i++)
        look_after(table, next_of(table, &table->space->next_swept), false);
    for (size_t i = 0; i < looks && table->space->count > 0; i++)
        look_after(table, next_of(table, &table->space->next_looked_at), true);
    pthread_mutex_unlock(&table->space->lock);
}

/* The least recently used copy with memory on the device, of a mirror that nobody works on, which is claimed
 * whole; NULL: none.
 * `lock` is held. */
static struct mirror_copy *find_victim(struct mirror_table *table)
{
    struct mirror_copy *victim = NULL;
    for (size_t i = 0; i < table->space->count; i++) {
        struct mirror *mirror = table->space->mirrors[i];
        struct mirror_copy *copy = mirror_table_copy(table, mirror);
        if ((victim && victim->used <= copy->used) || !claims_try_whole(mirror))
            continue;
        if (copy->memory.committed_bytes == 0) {
            claims_give_whole(mirror);
            continue;
        }
        if (victim)
            claims_give_whole(victim->mirror);
        victim = copy;
    }
    return victim;
}

bool mirror_table_evict(struct mirror_table *table)
{
    if (mirror_table_drop_kept(table))
        return true;
    pthread_mutex_lock(&table->space->lock);
    struct mirror_copy *victim = find_victim(table);
    if (victim) {
        victim->mirror->references++;
        memset(&victim->accounts, 0, sizeof victim->accounts);
        mirror_forget_resident(victim, 0, mirror_pages(victim->mirror));
    }
    pthread_mutex_unlock(&table->space->lock);
    if (!victim)
        return false;
    struct mirror *const mirror = victim->mirror;
    mirror_empty_copy(victim);
    claims_give_whole(mirror);
    mirror_table_release(table, mirror);
    return true;
}

/* Whoever has come in since finds it so, too, and waits. */
void mirror_table_note_revoked(struct mirror_table *table)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (!driver_has_revoked())
        return;
    pthread_mutex_lock(&lock);
    if (driver_has_revoked()) {
        log_message(LOG_INFO, "the service gave the device's memory to others: matrices are sent again");
        while (mirror_table_evict(table))
            continue;
        driver_note_revoked();
    }
    pthread_mutex_unlock(&lock);
}

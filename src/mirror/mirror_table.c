#include "mirror/mirror_table.h"

#include "common/log.h"
#include "common/settings.h"
#include "mirror/host_memory/blind_files.h"
#include "mirror/ledger/range_accounts.h"
#include "mirror/object_loads.h"

#include <stdlib.h>
#include <string.h>

/* Address spaces reserved by managed run-times are larger than any device: 1 TiB is the most. */
enum { WATCH_PERIOD = 64, LIBRARY_PERIOD = 1024, MEMORY_PERIOD = 256, MIRROR_SHIFT_MAX = 40 };

bool mirror_table_tracks(const struct mirror_table *table)
{
    return table->resources.tracker && !atomic_load(&table->blind);
}

size_t mirror_table_first_behind(const struct mirror_table *table, uintptr_t address)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table->mirrors[middle]->end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct mirror *mirror_table_find(const struct mirror_table *table, uintptr_t begin, uintptr_t end)
{
    size_t at = mirror_table_first_behind(table, begin);
    if (at == table->count || table->mirrors[at]->begin > begin || table->mirrors[at]->end < end)
        return NULL;
    return table->mirrors[at];
}

bool mirror_table_is_unfit(struct mirror_table *table, uintptr_t begin, uintptr_t end)
{
    for (int i = 0; i < UNFIT_RANGES; i++) {
        struct unfit_range *unfit = &table->unfit[i];
        if (unfit->lookups_left > 0 && begin < unfit->end && unfit->begin < end) {
            unfit->lookups_left--;
            return true;
        }
    }
    return false;
}

void mirror_table_note_unfit(struct mirror_table *table, uintptr_t begin, uintptr_t end)
{
    pthread_mutex_lock(&table->lock);
    table->unfit[table->next_unfit++ % UNFIT_RANGES] = (struct unfit_range){begin, end, UNFIT_LOOKUPS};
    pthread_mutex_unlock(&table->lock);
}

void mirror_table_remove(struct mirror_table *table, struct mirror *mirror)
{
    size_t at = mirror_table_first_behind(table, mirror->begin);
    mirror->dead = true;
    memmove(table->mirrors + at, table->mirrors + at + 1, (table->count - at - 1) * sizeof *table->mirrors);
    table->count--;
    mirror->references--; /* the table's; somebody who holds the lock has another */
}

bool mirror_table_insert(struct mirror_table *table, struct mirror *mirror)
{
    if (table->count == table->room) {
        size_t room = table->room ? 2 * table->room : 16;
        struct mirror **grown = realloc(table->mirrors, room * sizeof *grown);
        if (!grown)
            return false;
        table->mirrors = grown;
        table->room = room;
    }
    size_t at = mirror_table_first_behind(table, mirror->begin);
    memmove(table->mirrors + at + 1, table->mirrors + at, (table->count - at) * sizeof *table->mirrors);
    table->mirrors[at] = mirror;
    table->count++;
    mirror->references++;
    return true;
}

void mirror_table_release(struct mirror_table *table, struct mirror *mirror)
{
    pthread_mutex_lock(&table->lock);
    bool last = --mirror->references == 0;
    pthread_mutex_unlock(&table->lock);
    if (last)
        mirror_destroy(mirror);
}

void mirror_table_drop(struct mirror_table *table, struct mirror *mirror)
{
    pthread_mutex_lock(&table->lock);
    if (!mirror->dead)
        mirror_table_remove(table, mirror);
    pthread_mutex_unlock(&table->lock);
    mirror_empty(mirror);
}

static bool reference_mirror(struct mirror_table *table, uintptr_t begin, uintptr_t end, struct mirror **mirror)
{
    pthread_mutex_lock(&table->lock);
    *mirror = mirror_table_find(table, begin, end);
    if (*mirror)
        (*mirror)->references++;
    pthread_mutex_unlock(&table->lock);
    return *mirror != NULL;
}

static bool begin_making(struct mirror_table *table, struct patience *patience)
{
    bool patient = true;
    pthread_mutex_lock(&table->lock);
    while (table->making && patient)
        patient = patience_wait(patience, &table->made, &table->lock);
    const bool begun = !table->making;
    if (begun)
        table->making = true;
    pthread_mutex_unlock(&table->lock);
    return begun;
}

static void end_making(struct mirror_table *table)
{
    pthread_mutex_lock(&table->lock);
    table->making = false;
    pthread_cond_broadcast(&table->made);
    pthread_mutex_unlock(&table->lock);
}

static enum status make(struct mirror_table *table, struct byte_range range, struct patience *patience,
                        struct mirror **mirror)
{
    struct mapping mapping;
    if (reference_mirror(table, range.begin, range.end, mirror)) /* made by another thread meanwhile */
        return STATUS_OK;
    if (mapping_find_range(range.begin, range.end, &mapping) == STATUS_OK &&
        mapping.end - mapping.begin <= (uintptr_t)1 << MIRROR_SHIFT_MAX)
        return mirror_table_make(table, &mapping, patience, mirror);
    mirror_table_note_unfit(table, range.begin, range.end);
    return STATUS_NOT_TRACKABLE;
}

enum status mirror_table_acquire(struct mirror_table *table, struct byte_range range, struct patience *patience,
                                 struct mirror **mirror)
{
    if (!mirror_table_tracks(table))
        return STATUS_NOT_TRACKABLE;
    if (reference_mirror(table, range.begin, range.end, mirror)) {
        if (!atomic_load(&(*mirror)->foreign_pins))
            return STATUS_OK;
        mirror_table_release(table, *mirror);
        return STATUS_NOT_TRACKABLE;
    }
    pthread_mutex_lock(&table->lock);
    bool unfit = mirror_table_is_unfit(table, range.begin, range.end);
    pthread_mutex_unlock(&table->lock);
    if (unfit)
        return STATUS_NOT_TRACKABLE;
    mirror_table_watch(table, true);
    if (!mirror_table_tracks(table))
        return STATUS_NOT_TRACKABLE;
    if (!begin_making(table, patience))
        return STATUS_BUSY;
    enum status status = make(table, range, patience, mirror);
    end_making(table);
    return status;
}

/* The least recently used mirror with device memory that nobody works on, claimed whole; NULL: none. `lock` is
 * held. */
static struct mirror *find_victim(struct mirror_table *table)
{
    struct mirror *victim = NULL;
    for (size_t i = 0; i < table->count; i++) {
        struct mirror *mirror = table->mirrors[i];
        if ((victim && victim->used <= mirror->used) || !claims_try_whole(mirror))
            continue;
        if (mirror->memory.committed_bytes == 0) {
            claims_give_whole(mirror);
            continue;
        }
        if (victim)
            claims_give_whole(victim);
        victim = mirror;
    }
    return victim;
}

bool mirror_table_evict(struct mirror_table *table)
{
    if (mirror_table_drop_kept(table))
        return true;
    pthread_mutex_lock(&table->lock);
    struct mirror *victim = find_victim(table);
    if (victim) {
        victim->references++;
        range_accounts_clear(victim);
        mirror_forget_known(victim, 0, mirror_pages(victim));
    }
    pthread_mutex_unlock(&table->lock);
    if (!victim)
        return false;
    mirror_empty(victim);
    claims_give_whole(victim);
    mirror_table_release(table, victim);
    return true;
}

static bool has_blind_spots(struct mirror_table *table, bool libraries, bool pins)
{
    if (libraries && mapping_has_blind_library())
        return true;
    /* While somebody pins, look the next time. */
    if (!pins || pthread_mutex_trylock(&table->resources.pinning) != 0)
        return false;
    bool answer = pin_gauge_bytes(&table->resources.gauge) > table->resources.counted_pins;
    pthread_mutex_unlock(&table->resources.pinning);
    return answer || blind_files_open();
}

static void go_blind(struct mirror_table *table)
{
    /* For good: what was written while nobody looked cannot be found out later. */
    if (!atomic_exchange(&table->blind, true))
        log_message(LOG_WARNING, "this process uses memory that can be written unseen (RDMA, XPMEM, AF_XDP, VFIO, "
                                 "or pins of others); operands are copied at every call "
                                 "(MUBLAS_TRUST_TRACKING=1 overrides)");
}

void mirror_table_watch_pins(struct mirror_table *table)
{
    if (!mirror_table_tracks(table) || settings()->trust_tracking)
        return;
    pthread_mutex_lock(&table->resources.pinning);
    bool strange = pin_gauge_bytes(&table->resources.gauge) > table->resources.counted_pins;
    pthread_mutex_unlock(&table->resources.pinning);
    if (strange || blind_files_open())
        go_blind(table);
}

/* Others may have begun to want device memory. */
static void give_way(struct mirror_table *table)
{
    struct budget *budget = &table->resources.budget;
    if (atomic_load(&budget->committed) == 0 || !budget_refresh(budget))
        return;
    while (atomic_load(&budget->committed) > atomic_load(&budget->bytes) && mirror_table_evict(table))
        continue;
}

void mirror_table_watch(struct mirror_table *table, bool now)
{
    const unsigned long long loads = object_loads();
    pthread_mutex_lock(&table->lock);
    bool due = now || ++table->calls % WATCH_PERIOD == 0;
    /* A library comes by the loader; whatever else maps such memory is found in time. */
    bool libraries_due = table->loads != loads || (due && table->calls % LIBRARY_PERIOD == 0);
    table->loads = loads;
    bool memory_due = !now && table->calls % MEMORY_PERIOD == 0;
    pthread_mutex_unlock(&table->lock);
    if (memory_due)
        give_way(table);
    if (!(due || libraries_due) || !mirror_table_tracks(table) || settings()->trust_tracking ||
        !has_blind_spots(table, libraries_due, due))
        return;
    go_blind(table);
}

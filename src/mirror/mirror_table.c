#include "mirror/mirror_table.h"

#include "common/log.h"
#include "common/settings.h"
#include "mirror/mapping.h"

#include <stdlib.h>
#include <string.h>

enum { WATCH_PERIOD = 64 };

/* Address spaces reserved by managed run-times are larger than any device. */
static const size_t MIRROR_BYTES_MAX = (size_t)1 << 40;

bool mirror_table_tracks(const struct mirror_table *table)
{
    return table->resources.tracker && !atomic_load(&table->blind);
}

/* Number of the first mirror that ends behind `address`. */
static size_t first_behind(const struct mirror_table *table, uintptr_t address)
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
    size_t at = first_behind(table, begin);
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

static void remove_mirror(struct mirror_table *table, struct mirror *mirror)
{
    size_t at = first_behind(table, mirror->begin);
    mirror->dead = true;
    memmove(table->mirrors + at, table->mirrors + at + 1, (table->count - at - 1) * sizeof *table->mirrors);
    table->count--;
    mirror->references--; /* the table's; somebody who holds the lock has another */
}

static bool insert_mirror(struct mirror_table *table, struct mirror *mirror)
{
    if (table->count == table->room) {
        size_t room = table->room ? 2 * table->room : 16;
        struct mirror **grown = realloc(table->mirrors, room * sizeof *grown);
        if (!grown)
            return false;
        table->mirrors = grown;
        table->room = room;
    }
    size_t at = first_behind(table, mirror->begin);
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
        remove_mirror(table, mirror);
    pthread_mutex_unlock(&table->lock);
    mirror_empty(mirror);
}

struct mirror_set {
    struct mirror **mirrors;
    size_t count;
};

/* Lock all mirrors that overlap *mapping, which is widened to hold them. `making` is
 * held, so none can come while we wait for them; some may die. */
static bool lock_overlapping(struct mirror_table *table, struct mapping *mapping, struct mirror_set *set)
{
    pthread_mutex_lock(&table->lock);
    size_t first = first_behind(table, mapping->begin), end = first;
    while (end < table->count && table->mirrors[end]->begin < mapping->end)
        end++;
    set->count = 0;
    set->mirrors = calloc(end - first + 1, sizeof *set->mirrors);
    for (size_t i = first; set->mirrors && i < end; i++) {
        set->mirrors[set->count++] = table->mirrors[i];
        table->mirrors[i]->references++;
    }
    pthread_mutex_unlock(&table->lock);
    if (!set->mirrors)
        return false;
    for (size_t i = 0; i < set->count; i++)
        pthread_mutex_lock(&set->mirrors[i]->lock);
    return true;
}

static void unlock_overlapping(struct mirror_table *table, struct mirror_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        pthread_mutex_unlock(&set->mirrors[i]->lock);
        mirror_table_release(table, set->mirrors[i]);
    }
    free(set->mirrors);
}

/* An old mirror that sticks out of the mapping covers memory that was cut off or
 * changed. If it still stands as a whole the new one covers it too. */
static void settle_bounds(struct mapping *mapping, struct mirror_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        struct mirror *old = set->mirrors[i];
        if (old->begin >= mapping->begin && old->end <= mapping->end)
            continue;
        if (!old->armed || mirror_scan(old, old->begin, old->end) != STATUS_OK) {
            mirror_empty(old);
            continue;
        }
        mapping->begin = old->begin < mapping->begin ? old->begin : mapping->begin;
        mapping->end = old->end > mapping->end ? old->end : mapping->end;
    }
}

/* What was resident in `old` and has its memory still, now in `mirror`, is resident. */
static void inherit_known(struct mirror *mirror, const struct mirror *old)
{
    size_t shift = mirror_page(mirror, old->begin);
    if (!mirror->armed)
        return;
    for (uintptr_t at = old->begin, next; at < old->end; at = next) {
        next = block_floor(at) + ((uintptr_t)1 << BLOCK_SHIFT);
        struct page_range pages = mirror_page_range(old, at, next);
        if (device_range_missing(&mirror->memory, at, at + 1) == 0)
            page_bits_copy(mirror->known, shift, old->known, pages.begin, pages.end);
    }
}

/* Replace the old mirrors by `mirror`, which covers all of them that still matter. */
static bool replace_mirrors(struct mirror_table *table, struct mirror *mirror, const struct mirror_set *set)
{
    struct mirror *inside[set->count + 1];
    size_t count = 0;
    double credit = 0;
    for (size_t i = 0; i < set->count; i++)
        if (set->mirrors[i]->begin >= mirror->begin && set->mirrors[i]->end <= mirror->end)
            inside[count++] = set->mirrors[i];
    if (count > 0)
        mirror_join(mirror, inside, count);
    pthread_mutex_lock(&table->lock);
    for (size_t i = 0; i < count; i++)
        inherit_known(mirror, inside[i]);
    for (size_t i = 0; i < set->count; i++) {
        struct mirror *old = set->mirrors[i];
        if (atomic_load(&old->foreign_pins))
            atomic_store(&mirror->foreign_pins, true);
        if (old->credit_us > credit)
            credit = old->credit_us;
        if (!old->dead)
            remove_mirror(table, old);
    }
    mirror->credit_us = credit;
    mirror->used = table->calls;
    bool good = insert_mirror(table, mirror);
    pthread_mutex_unlock(&table->lock);
    return good;
}

static enum status make_mirror(struct mirror_table *table, struct mapping *mapping, struct mirror **result)
{
    struct mirror_set set;
    if (!lock_overlapping(table, mapping, &set))
        return STATUS_OUT_OF_MEMORY;
    settle_bounds(mapping, &set);
    struct mirror *mirror = mirror_create(&table->resources, mapping->begin, mapping->end);
    bool good = mirror && replace_mirrors(table, mirror, &set);
    unlock_overlapping(table, &set);
    if (mirror && !good)
        mirror_destroy(mirror);
    *result = mirror;
    return good ? STATUS_OK : STATUS_OUT_OF_MEMORY;
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

enum status mirror_table_acquire(struct mirror_table *table, uintptr_t begin, uintptr_t end,
                                 struct mirror **mirror)
{
    struct mapping mapping;
    enum status status = STATUS_NOT_TRACKABLE;
    if (!mirror_table_tracks(table))
        return STATUS_NOT_TRACKABLE;
    if (reference_mirror(table, begin, end, mirror)) {
        if (!atomic_load(&(*mirror)->foreign_pins))
            return STATUS_OK;
        mirror_table_release(table, *mirror);
        return STATUS_NOT_TRACKABLE;
    }
    pthread_mutex_lock(&table->lock);
    bool unfit = mirror_table_is_unfit(table, begin, end);
    pthread_mutex_unlock(&table->lock);
    if (unfit)
        return STATUS_NOT_TRACKABLE;
    mirror_table_watch(table, true);
    if (!mirror_table_tracks(table))
        return STATUS_NOT_TRACKABLE;
    pthread_mutex_lock(&table->making);
    if (reference_mirror(table, begin, end, mirror)) /* made by another thread meanwhile */
        status = STATUS_OK;
    else if (mapping_find_range(begin, end, &mapping) == STATUS_OK &&
             mapping.end - mapping.begin <= MIRROR_BYTES_MAX)
        status = make_mirror(table, &mapping, mirror);
    else
        mirror_table_note_unfit(table, begin, end);
    pthread_mutex_unlock(&table->making);
    return status;
}

bool mirror_table_evict(struct mirror_table *table)
{
    struct mirror *victim = NULL;
    pthread_mutex_lock(&table->lock);
    for (size_t i = 0; i < table->count; i++) {
        struct mirror *mirror = table->mirrors[i];
        if ((victim && victim->used <= mirror->used) || pthread_mutex_trylock(&mirror->lock) != 0)
            continue;
        if (mirror->memory.committed_bytes == 0) {
            pthread_mutex_unlock(&mirror->lock);
            continue;
        }
        if (victim)
            pthread_mutex_unlock(&victim->lock);
        victim = mirror;
    }
    if (victim) {
        mirror_empty(victim);
        victim->credit_us = 0;
        mirror_forget_known(victim, 0, mirror_pages(victim));
        pthread_mutex_unlock(&victim->lock);
    }
    pthread_mutex_unlock(&table->lock);
    return victim != NULL;
}

void mirror_table_watch(struct mirror_table *table, bool now)
{
    pthread_mutex_lock(&table->lock);
    bool due = now || ++table->calls % WATCH_PERIOD == 0;
    pthread_mutex_unlock(&table->lock);
    if (!due || !mirror_table_tracks(table) || settings()->trust_tracking ||
        !mapping_has_blind_spots(atomic_load(&table->resources.counted_pins)))
        return;
    /* For good: what was written while nobody looked cannot be found out later. */
    if (!atomic_exchange(&table->blind, true))
        log_message(LOG_WARNING, "this process uses memory that can be written unseen (RDMA, XPMEM, or pins of "
                                 "others); operands are copied at every call (MUBLAS_TRUST_TRACKING=1 overrides)");
}

#include "mirror/host_memory/mapping.h"
#include "mirror/mirror_table.h"

#include <stdlib.h>

/* Address spaces reserved by managed run-times are larger than any device: 1 TiB is the most. */
enum { MIRROR_SHIFT_MAX = 40 };

/* Mirrors that overlap a mapping, each claimed whole but for the last ones, if patience came to an end. */
struct mirror_set {
    struct mirror **mirrors;
    struct claim *claims;
    size_t count, claimed;
};

/* Nobody else is making any, so none can come while we wait for them; some may die. */
static enum status claim_overlapping(struct mirror_table *table, const struct mapping *mapping,
                                     struct patience *patience, struct mirror_set *set)
{
    bool patient = true;
    pthread_mutex_lock(&table->space->lock);
    size_t first = mirror_table_first_behind(table, mapping->begin), end = first;
    while (end < table->space->count && table->space->mirrors[end]->begin < mapping->end)
        end++;
    set->count = set->claimed = 0;
    set->mirrors = calloc(end - first + 1, sizeof *set->mirrors);
    set->claims = calloc(end - first + 1, sizeof *set->claims);
    for (size_t i = first; set->mirrors && set->claims && i < end; i++) {
        set->mirrors[set->count++] = table->space->mirrors[i];
        table->space->mirrors[i]->references++;
    }
    pthread_mutex_unlock(&table->space->lock);
    if (!set->mirrors || !set->claims)
        return STATUS_OUT_OF_MEMORY;
    while (set->claimed < set->count && patient) {
        set->claims[set->claimed] = claim_of_whole();
        patient = claims_take(set->mirrors[set->claimed], &set->claims[set->claimed], patience);
        set->claimed += patient;
    }
    return patient ? STATUS_OK : STATUS_BUSY;
}

static void release_overlapping(struct mirror_table *table, struct mirror_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        if (i < set->claimed)
            claims_give(set->mirrors[i], &set->claims[i]);
        mirror_table_release(table, set->mirrors[i]);
    }
    free(set->mirrors);
    free(set->claims);
}

/* An old mirror that sticks out of the mapping covers memory that was cut off or
 * changed. If it still stands as a whole the new one covers it too. */
static void settle_bounds(struct mapping *mapping, struct mirror_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        struct mirror *old = set->mirrors[i];
        if (old->begin >= mapping->begin && old->end <= mapping->end)
            continue;
        if (!atomic_load(&old->armed) ||
            mirror_scan(old, &set->claims[i], (struct byte_range){old->begin, old->end}) != STATUS_OK) {
            mirror_empty(old);
            continue;
        }
        mapping->begin = old->begin < mapping->begin ? old->begin : mapping->begin;
        mapping->end = old->end > mapping->end ? old->end : mapping->end;
    }
}

/* Pages that were resident in `before` and have their memory still, now in `copy`, are resident. */
static void inherit_resident(struct mirror_copy *copy, const struct mirror_copy *before)
{
    const struct mirror *const mirror = copy->mirror, *const old = before->mirror;
    size_t shift = mirror_page(mirror, old->begin);
    if (!atomic_load(&mirror->armed) || !atomic_load(&copy->made) || !before->resident)
        return;
    mirror_note_resident(copy, (struct page_range){0, 0});
    for (uintptr_t at = old->begin, next; at < old->end; at = next) {
        next = block_floor(at) + ((uintptr_t)1 << BLOCK_SHIFT);
        struct page_range pages = mirror_page_range(old, at, next);
        if (copy->resident && mirror_uncommitted(copy, at, at + 1) == 0)
            page_bits_copy(copy->resident, shift, before->resident, pages.begin, pages.end);
    }
}

static void inherit_copies(struct mirror *mirror, const struct mirror *old)
{
    for (int i = 0; i < mirror->resources->places; i++) {
        inherit_resident(&mirror->copies[i], &old->copies[i]);
        accounts_inherit(&mirror->copies[i].accounts, &old->copies[i].accounts,
                         mirror_page(mirror, old->begin));
    }
}

/* Replace the old mirrors by `mirror`, which covers all of them that still matter. */
static bool replace_mirrors(struct mirror_table *table, struct mirror *mirror, const struct mirror_set *set)
{
    struct mirror *inside[set->count + 1];
    struct claim *claims[set->count + 1];
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++)
        if (set->mirrors[i]->begin >= mirror->begin && set->mirrors[i]->end <= mirror->end) {
            claims[count] = &set->claims[i];
            inside[count++] = set->mirrors[i];
        }
    if (count > 0)
        mirror_join(mirror, inside, claims, count);
    pthread_mutex_lock(&table->space->lock);
    for (size_t i = 0; i < count; i++) {
        inherit_copies(mirror, inside[i]);
        registration_inherit(mirror, inside[i]);
    }
    for (size_t i = 0; i < set->count; i++) {
        struct mirror *old = set->mirrors[i];
        if (atomic_load(&old->foreign_pins))
            atomic_store(&mirror->foreign_pins, true);
        if (!old->dead)
            mirror_table_remove(table, old);
    }
    for (int i = 0; i < mirror->resources->places; i++)
        mirror->copies[i].used = table->space->calls;
    bool good = mirror_table_insert(table, mirror);
    pthread_mutex_unlock(&table->space->lock);
    return good;
}

static enum status make_of_mapping(struct mirror_table *table, struct mapping *mapping,
                                   struct patience *patience, struct mirror **result)
{
    struct mirror_set set;
    struct mirror *mirror = NULL;
    mirror_table_sweep(table);
    enum status status = claim_overlapping(table, mapping, patience, &set);
    if (status == STATUS_OK) {
        settle_bounds(mapping, &set);
        mirror = mirror_create(&table->space->resources, mapping->begin, mapping->end);
        if (!mirror || !replace_mirrors(table, mirror, &set))
            status = STATUS_OUT_OF_MEMORY;
    }
    release_overlapping(table, &set);
    if (status != STATUS_OK && mirror)
        mirror_destroy(mirror);
    *result = status == STATUS_OK ? mirror : NULL;
    return status;
}

static bool reference_mirror(struct mirror_table *table, uintptr_t begin, uintptr_t end,
                             struct mirror **mirror)
{
    pthread_mutex_lock(&table->space->lock);
    *mirror = mirror_table_find(table, begin, end);
    if (*mirror)
        (*mirror)->references++;
    pthread_mutex_unlock(&table->space->lock);
    return *mirror != NULL;
}

static bool begin_making(struct mirror_table *table, struct patience *patience)
{
    bool patient = true;
    pthread_mutex_lock(&table->space->lock);
    while (table->space->making && patient)
        patient = patience_wait(patience, &table->space->made, &table->space->lock);
    const bool begun = !table->space->making;
    if (begun)
        table->space->making = true;
    pthread_mutex_unlock(&table->space->lock);
    return begun;
}

static void end_making(struct mirror_table *table)
{
    pthread_mutex_lock(&table->space->lock);
    table->space->making = false;
    pthread_cond_broadcast(&table->space->made);
    pthread_mutex_unlock(&table->space->lock);
}

static enum status make_mirror(struct mirror_table *table, struct byte_range range, struct patience *patience,
                               struct mirror **mirror)
{
    struct mapping mapping;
    if (reference_mirror(table, range.begin, range.end, mirror)) /* made by another thread meanwhile */
        return STATUS_OK;
    if (mapping_find_range(range.begin, range.end, &mapping) == STATUS_OK &&
        mapping.end - mapping.begin <= (uintptr_t)1 << MIRROR_SHIFT_MAX)
        return make_of_mapping(table, &mapping, patience, mirror);
    mirror_table_note_unfit(table, range.begin, range.end);
    return STATUS_NOT_TRACKABLE;
}

enum status mirror_table_acquire(struct mirror_table *table, struct byte_range range,
                                 struct patience *patience, struct mirror **mirror)
{
    if (!mirror_table_tracks(table))
        return STATUS_NOT_TRACKABLE;
    if (reference_mirror(table, range.begin, range.end, mirror)) {
        if (!atomic_load(&(*mirror)->foreign_pins))
            return STATUS_OK;
        mirror_table_release(table, *mirror);
        return STATUS_NOT_TRACKABLE;
    }
    pthread_mutex_lock(&table->space->lock);
    bool unfit = mirror_table_is_unfit(table, range.begin, range.end);
    pthread_mutex_unlock(&table->space->lock);
    if (unfit)
        return STATUS_NOT_TRACKABLE;
    mirror_table_watch(table, true);
    if (!mirror_table_tracks(table))
        return STATUS_NOT_TRACKABLE;
    if (!begin_making(table, patience))
        return STATUS_BUSY;
    enum status status = make_mirror(table, range, patience, mirror);
    end_making(table);
    return status;
}

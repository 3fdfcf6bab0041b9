#include "mirror/host_memory/mapping.h"
#include "mirror/mirror_table.h"

#include <stdlib.h>

/* Those that overlap a mapping, each claimed whole but for the last ones, if patience came to an end. */
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
    pthread_mutex_lock(&table->lock);
    size_t first = mirror_table_first_behind(table, mapping->begin), end = first;
    while (end < table->count && table->mirrors[end]->begin < mapping->end)
        end++;
    set->count = set->claimed = 0;
    set->mirrors = calloc(end - first + 1, sizeof *set->mirrors);
    set->claims = calloc(end - first + 1, sizeof *set->claims);
    for (size_t i = first; set->mirrors && set->claims && i < end; i++) {
        set->mirrors[set->count++] = table->mirrors[i];
        table->mirrors[i]->references++;
    }
    pthread_mutex_unlock(&table->lock);
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

/* What was resident in `old` and has its memory still, now in `mirror`, is resident. */
static void inherit_resident(struct mirror *mirror, const struct mirror *old)
{
    size_t shift = mirror_page(mirror, old->begin);
    if (!atomic_load(&mirror->armed))
        return;
    for (uintptr_t at = old->begin, next; at < old->end; at = next) {
        next = block_floor(at) + ((uintptr_t)1 << BLOCK_SHIFT);
        struct page_range pages = mirror_page_range(old, at, next);
        if (mirror_uncommitted(mirror, at, at + 1) == 0)
            page_bits_copy(mirror->resident, shift, old->resident, pages.begin, pages.end);
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
    pthread_mutex_lock(&table->lock);
    for (size_t i = 0; i < count; i++) {
        inherit_resident(mirror, inside[i]);
        accounts_inherit(&mirror->accounts, &inside[i]->accounts, mirror_page(mirror, inside[i]->begin));
        registration_inherit(mirror, inside[i]);
    }
    for (size_t i = 0; i < set->count; i++) {
        struct mirror *old = set->mirrors[i];
        if (atomic_load(&old->foreign_pins))
            atomic_store(&mirror->foreign_pins, true);
        if (!old->dead)
            mirror_table_remove(table, old);
    }
    mirror->used = table->calls;
    bool good = mirror_table_insert(table, mirror);
    pthread_mutex_unlock(&table->lock);
    return good;
}

enum status mirror_table_make(struct mirror_table *table, struct mapping *mapping, struct patience *patience,
                              struct mirror **result)
{
    struct mirror_set set;
    struct mirror *mirror = NULL;
    mirror_table_sweep(table);
    enum status status = claim_overlapping(table, mapping, patience, &set);
    if (status == STATUS_OK) {
        settle_bounds(mapping, &set);
        mirror = mirror_create(&table->resources, mapping->begin, mapping->end);
        if (!mirror || !replace_mirrors(table, mirror, &set))
            status = STATUS_OUT_OF_MEMORY;
    }
    release_overlapping(table, &set);
    if (status != STATUS_OK && mirror)
        mirror_destroy(mirror);
    *result = status == STATUS_OK ? mirror : NULL;
    return status;
}

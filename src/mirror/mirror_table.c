#include "mirror/mirror_table.h"

#include "mirror/operands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum status mirror_table_create(struct device *device, size_t budget_bytes, size_t pin_budget_bytes,
                                bool tracking, struct mirror_table **result)
{
    struct mirror_table *table = calloc(1, sizeof *table);
    if (!table)
        return STATUS_OUT_OF_MEMORY;
    table->resources.device = device;
    budget_fix(&table->resources.budget, device, budget_bytes);
    table->resources.pin_budget_bytes = pin_budget_bytes;
    patience_condition_create(&table->made);
    pthread_mutex_init(&table->lock, NULL);
    pthread_mutex_init(&table->resources.pinning, NULL);
    if (tracking && write_tracker_create(&table->resources.tracker) != STATUS_OK)
        table->resources.tracker = NULL;
    *result = table;
    return STATUS_OK;
}

void mirror_table_follow(struct mirror_table *table, unsigned percent)
{
    budget_follow(&table->resources.budget, table->resources.device, percent);
}

void mirror_table_destroy(struct mirror_table *table)
{
    if (!table)
        return;
    while (mirror_table_drop_kept(table))
        continue;
    for (size_t i = 0; i < table->count; i++)
        mirror_destroy(table->mirrors[i]);
    write_tracker_destroy(table->resources.tracker);
    process_pins_close(&table->resources.process_pins);
    pthread_cond_destroy(&table->made);
    pthread_mutex_destroy(&table->lock);
    pthread_mutex_destroy(&table->resources.pinning);
    free(table->mirrors);
    free(table);
}

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

/* Whoever holds it may be waiting for memory from an allocator whose lock our caller holds. */
static bool lock_in_time(pthread_mutex_t *lock)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    return pthread_mutex_timedlock(lock, &until) == 0;
}

bool mirror_table_give_up_registrations(struct mirror_table *table, uintptr_t begin, uintptr_t end)
{
    bool any = false;
    if (!table->resources.tracker || !lock_in_time(&table->lock))
        return false;
    for (size_t i = mirror_table_first_behind(table, begin);
         i < table->count && table->mirrors[i]->begin < end; i++)
        any = registration_give_up(table->mirrors[i]) || any;
    pthread_mutex_unlock(&table->lock);
    return any;
}

enum mirror_tracking mirror_table_tracking(const struct mirror_table *table)
{
    if (!table->resources.tracker)
        return MIRROR_TRACKS_NOTHING;
    return atomic_load(&table->blind) ? MIRROR_BLIND : MIRROR_TRACKS;
}

const char *mirror_table_description(const struct mirror_table *table)
{
    static char text[320];
    const struct mirror_resources *resources = &table->resources;
    const char *rule = !resources->tracker        ? "stateless"
                       : atomic_load(&table->blind) ? "stateless: host writes may come unseen"
                                                    : "tracked";
    snprintf(text, sizeof text,
             "%zu mirrors, %zu of %zu MiB on the device, %zu of %zu MiB pinned, %s; tracker: %s",
             table->count, atomic_load(&resources->budget.committed) >> 20,
             atomic_load(&resources->budget.bytes) >> 20, atomic_load(&resources->pinned_bytes) >> 20,
             resources->pin_budget_bytes >> 20, rule, write_tracker_description());
    return text;
}

#include "mirror/mirror_table.h"
#include "common/text.h"

#include "mirror/operands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct mirror_space *create_space(int places, size_t pin_budget_bytes, bool tracking)
{
    struct mirror_space *space = calloc(1, sizeof *space);
    if (!space)
        return NULL;
    space->resources.places = places;
    space->resources.pin_budget_bytes = pin_budget_bytes;
    patience_condition_create(&space->made);
    pthread_mutex_init(&space->lock, NULL);
    pthread_mutex_init(&space->resources.pinning, NULL);
    if (tracking && write_tracker_create(&space->resources.tracker) != STATUS_OK)
        space->resources.tracker = NULL;
    return space;
}

static void destroy_space(struct mirror_space *space)
{
    for (size_t i = 0; i < space->count; i++)
        mirror_destroy(space->mirrors[i]);
    write_tracker_destroy(space->resources.tracker);
    process_pins_close(&space->resources.process_pins);
    pthread_cond_destroy(&space->made);
    pthread_mutex_destroy(&space->lock);
    pthread_mutex_destroy(&space->resources.pinning);
    free(space->mirrors);
    free(space);
}

static enum status create_table(struct mirror_space *space, struct device *device, size_t budget_bytes,
                                struct mirror_table **result)
{
    struct mirror_table *table = calloc(1, sizeof *table);
    if (!table)
        return STATUS_OUT_OF_MEMORY;
    table->space = space;
    table->place = device_place(device);
    table->share = &space->resources.shares[table->place];
    budget_fix(&table->share->budget, device, budget_bytes);
    atomic_store(&table->share->device, device);
    pthread_mutex_lock(&space->lock);
    space->tables++;
    pthread_mutex_unlock(&space->lock);
    *result = table;
    return STATUS_OK;
}

enum status mirror_table_create(struct device *device, size_t budget_bytes, size_t pin_budget_bytes,
                                bool tracking, struct mirror_table **result)
{
    struct mirror_space *space = create_space(device_chosen(device)->count, pin_budget_bytes, tracking);
    if (!space)
        return STATUS_OUT_OF_MEMORY;
    const enum status status = create_table(space, device, budget_bytes, result);
    if (status != STATUS_OK)
        destroy_space(space);
    return status;
}

enum status mirror_table_create_beside(const struct mirror_table *first, struct device *device,
                                       size_t budget_bytes, struct mirror_table **result)
{
    return create_table(first->space, device, budget_bytes, result);
}

void mirror_table_follow(struct mirror_table *table, unsigned percent)
{
    budget_follow(&table->share->budget, table->share->device, percent);
}

void mirror_table_destroy(struct mirror_table *table)
{
    if (!table)
        return;
    while (mirror_table_drop_kept(table))
        continue;
    if (--table->space->tables == 0)
        destroy_space(table->space);
    free(table);
}

bool mirror_table_tracks(const struct mirror_table *table)
{
    return table->space->resources.tracker && !atomic_load(&table->space->blind);
}

size_t mirror_table_first_behind(const struct mirror_table *table, uintptr_t address)
{
    size_t low = 0, high = table->space->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table->space->mirrors[middle]->end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct mirror *mirror_table_find(const struct mirror_table *table, uintptr_t begin, uintptr_t end)
{
    const struct mirror_space *const space = table->space;
    size_t at = mirror_table_first_behind(table, begin);
    if (at == space->count || space->mirrors[at]->begin > begin || space->mirrors[at]->end < end)
        return NULL;
    return space->mirrors[at];
}

bool mirror_table_is_unfit(struct mirror_table *table, uintptr_t begin, uintptr_t end)
{
    for (int i = 0; i < UNFIT_RANGES; i++) {
        struct unfit_range *unfit = &table->space->unfit[i];
        if (unfit->lookups_left > 0 && begin < unfit->end && unfit->begin < end) {
            unfit->lookups_left--;
            return true;
        }
    }
    return false;
}

void mirror_table_note_unfit(struct mirror_table *table, uintptr_t begin, uintptr_t end)
{
    struct mirror_space *const space = table->space;
    pthread_mutex_lock(&space->lock);
    space->unfit[space->next_unfit++ % UNFIT_RANGES] = (struct unfit_range){begin, end, UNFIT_LOOKUPS};
    pthread_mutex_unlock(&space->lock);
}

void mirror_table_remove(struct mirror_table *table, struct mirror *mirror)
{
    struct mirror_space *const space = table->space;
    size_t at = mirror_table_first_behind(table, mirror->begin);
    mirror->dead = true;
    memmove(space->mirrors + at, space->mirrors + at + 1, (space->count - at - 1) * sizeof *space->mirrors);
    space->count--;
    mirror->references--; /* the table's; somebody who holds the lock has another */
}

bool mirror_table_insert(struct mirror_table *table, struct mirror *mirror)
{
    struct mirror_space *const space = table->space;
    if (space->count == space->room) {
        size_t room = space->room ? 2 * space->room : 16;
        struct mirror **grown = realloc(space->mirrors, room * sizeof *grown);
        if (!grown)
            return false;
        space->mirrors = grown;
        space->room = room;
    }
    size_t at = mirror_table_first_behind(table, mirror->begin);
    memmove(space->mirrors + at + 1, space->mirrors + at, (space->count - at) * sizeof *space->mirrors);
    space->mirrors[at] = mirror;
    space->count++;
    mirror->references++;
    return true;
}

void mirror_table_release(struct mirror_table *table, struct mirror *mirror)
{
    pthread_mutex_lock(&table->space->lock);
    bool last = --mirror->references == 0;
    pthread_mutex_unlock(&table->space->lock);
    if (last)
        mirror_destroy(mirror);
}

void mirror_table_drop(struct mirror_table *table, struct mirror *mirror)
{
    pthread_mutex_lock(&table->space->lock);
    if (!mirror->dead)
        mirror_table_remove(table, mirror);
    pthread_mutex_unlock(&table->space->lock);
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
    if (!table->space->resources.tracker || !lock_in_time(&table->space->lock))
        return false;
    for (size_t i = mirror_table_first_behind(table, begin);
         i < table->space->count && table->space->mirrors[i]->begin < end; i++)
        any = registration_give_up(table->space->mirrors[i]) || any;
    pthread_mutex_unlock(&table->space->lock);
    return any;
}

enum mirror_tracking mirror_table_tracking(const struct mirror_table *table)
{
    if (!table->space->resources.tracker)
        return MIRROR_TRACKS_NOTHING;
    return atomic_load(&table->space->blind) ? MIRROR_BLIND : MIRROR_TRACKS;
}

const char *mirror_table_description(const struct mirror_table *table)
{
    static char text[320];
    const struct mirror_resources *resources = &table->space->resources;
    const char *rule = !resources->tracker                 ? "stateless"
                       : atomic_load(&table->space->blind) ? "stateless: host writes may come unseen"
                                                           : "tracked";
    snprintf(text, sizeof text,
             "%zu mirror%s, %zu of %zu MiB on the device, %zu of %zu MiB pinned, %s; tracker: %s",
             table->space->count, plural(table->space->count),
             atomic_load(&table->share->budget.committed) >> 20,
             atomic_load(&table->share->budget.bytes) >> 20, atomic_load(&resources->pinned_bytes) >> 20,
             resources->pin_budget_bytes >> 20, rule, write_tracker_description());
    return text;
}

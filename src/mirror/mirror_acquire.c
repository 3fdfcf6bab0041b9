#include "mirror/mirror_table.h"

#include "mirror/host_memory/mapping.h"

/* Address spaces reserved by managed run-times are larger than any device: 1 TiB is the most. */
enum { MIRROR_SHIFT_MAX = 40 };

static bool reference_mirror(struct mirror_table *table, uintptr_t begin, uintptr_t end,
                             struct mirror **mirror)
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

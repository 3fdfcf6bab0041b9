#include "mirror/mirror_table.h"
#include "mirror/pins.h"

enum { SWEEP_MOST = 4 };

/* Drop the mirror, its device memory and its pins if the host's memory is not what was registered; its pins
 * alone if the program has begun to use CUDA. The table's lock is held. */
static void look_after(struct mirror_table *table, struct mirror *mirror)
{
    struct write_tracker *tracker = table->resources.tracker;
    if (pthread_mutex_trylock(&mirror->lock) != 0)
        return; /* in use, so somebody looks at it anyway */
    if (pins_must_go(mirror))
        pins_give_up(mirror);
    bool gone = mirror->armed && !(write_tracker_holds(tracker, mirror->begin) &&
                                   write_tracker_holds(tracker, page_floor(mirror->end - 1)));
    if (gone) {
        mirror->references++;
        mirror_table_remove(table, mirror);
        mirror_empty(mirror);
    }
    pthread_mutex_unlock(&mirror->lock);
    if (gone && --mirror->references == 0)
        mirror_destroy(mirror);
}

void mirror_table_sweep(struct mirror_table *table)
{
    pthread_mutex_lock(&table->lock);
    for (size_t i = table->count; i-- > 0;)
        look_after(table, table->mirrors[i]);
    pthread_mutex_unlock(&table->lock);
}

void mirror_table_sweep_some(struct mirror_table *table)
{
    pthread_mutex_lock(&table->lock);
    for (size_t i = 0; i < SWEEP_MOST && i < table->count; i++) {
        table->next_swept = table->next_swept > 0 && table->next_swept <= table->count ? table->next_swept - 1
                                                                                       : table->count - 1;
        look_after(table, table->mirrors[table->next_swept]);
    }
    pthread_mutex_unlock(&table->lock);
}

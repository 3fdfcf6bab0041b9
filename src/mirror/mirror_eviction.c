#include "mirror/mirror_table.h"

#include <string.h>

/* The least recently used mirror with device memory that nobody works on, claimed whole; NULL: none.
 * `lock` is held. */
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
        memset(&victim->accounts, 0, sizeof victim->accounts);
        mirror_forget_resident(victim, 0, mirror_pages(victim));
    }
    pthread_mutex_unlock(&table->lock);
    if (!victim)
        return false;
    mirror_empty(victim);
    claims_give_whole(victim);
    mirror_table_release(table, victim);
    return true;
}

#include "mirror/mirror.h"

#include "mirror/pinning/pins.h"
#include "mirror/tracking/completeness.h"

#include <stdlib.h>
#include <string.h>

struct mirror *mirror_create(struct mirror_resources *resources, uintptr_t begin, uintptr_t end)
{
    struct mirror *mirror = calloc(1, sizeof *mirror);
    if (!mirror)
        return NULL;
    mirror->resources = resources;
    mirror->begin = begin;
    mirror->end = end;
    mirror->references = 1;
    mirror->resident = page_bits_create(mirror_pages(mirror));
    if (!mirror->resident) {
        free(mirror);
        return NULL;
    }
    pthread_mutex_init(&mirror->lock, NULL);
    pthread_mutex_init(&mirror->committing, NULL);
    pthread_mutex_init(&mirror->pinning, NULL);
    pthread_mutex_init(&mirror->notes, NULL);
    patience_condition_create(&mirror->claims_changed);
    return mirror;
}

void mirror_destroy(struct mirror *mirror)
{
    mirror_empty(mirror);
    pthread_cond_destroy(&mirror->claims_changed);
    pthread_mutex_destroy(&mirror->lock);
    pthread_mutex_destroy(&mirror->committing);
    pthread_mutex_destroy(&mirror->pinning);
    pthread_mutex_destroy(&mirror->notes);
    free(mirror->resident);
    free(mirror);
}

static void free_bits(struct mirror *mirror)
{
    free(mirror->valid);
    free(mirror->suspect);
    free(mirror->split);
    mirror->valid = mirror->suspect = mirror->split = NULL;
}

static enum status make_copy(struct mirror *mirror)
{
    if (mirror->valid)
        return STATUS_OK;
    enum status status =
        device_range_create(&mirror->memory, mirror->resources->device, mirror->begin, mirror->end);
    if (status != STATUS_OK)
        return status;
    mirror->valid = page_bits_create(mirror_pages(mirror));
    mirror->suspect = page_bits_create(mirror_pages(mirror));
    mirror->split = page_bits_create(mirror_block(mirror, mirror->end) + 1);
    if (mirror->valid && mirror->suspect && mirror->split)
        return STATUS_OK;
    free_bits(mirror);
    device_range_destroy(&mirror->memory);
    return STATUS_OUT_OF_MEMORY;
}

static void drop_copy(struct mirror *mirror)
{
    budget_give(&mirror->resources->budget, mirror->memory.committed_bytes);
    device_range_destroy(&mirror->memory);
    free_bits(mirror);
    completeness_forget(mirror);
    pthread_mutex_lock(&mirror->notes);
    memset(mirror->hot, 0, sizeof mirror->hot);
    memset(&mirror->results, 0, sizeof mirror->results);
    pthread_mutex_unlock(&mirror->notes);
}

/* Pages are protected as they are first scanned; until then none is valid. */
static enum status make_armed(struct mirror *mirror)
{
    enum status status = make_copy(mirror);
    if (status != STATUS_OK)
        return status;
    status = registration_add(mirror, mirror->begin, mirror->end);
    if (status == STATUS_OK)
        atomic_store(&mirror->armed, true);
    else
        drop_copy(mirror);
    return status;
}

enum status mirror_arm(struct mirror *mirror)
{
    if (atomic_load(&mirror->foreign_pins))
        return STATUS_NOT_TRACKABLE;
    if (atomic_load(&mirror->armed))
        return STATUS_OK;
    pthread_mutex_lock(&mirror->lock); /* others may be on their way here from other pages */
    enum status status = atomic_load(&mirror->armed) ? STATUS_OK : make_armed(mirror);
    pthread_mutex_unlock(&mirror->lock);
    return status;
}

void mirror_empty(struct mirror *mirror)
{
    pins_release(mirror);
    if (atomic_load(&mirror->armed))
        registration_end(mirror);
    pthread_mutex_lock(&mirror->lock); /* who is about to claim some of it asks what is split */
    atomic_store(&mirror->armed, false);
    if (mirror->valid)
        drop_copy(mirror);
    pthread_mutex_unlock(&mirror->lock);
}

struct absorption {
    struct mirror *mirror, *old;
};

/* A chunk has moved: so have its pages, valid as they were. */
static void note_moved(void *context, uintptr_t begin, uintptr_t end)
{
    struct absorption *absorption = context;
    struct mirror *mirror = absorption->mirror, *old = absorption->old;
    struct page_range pages = mirror_page_range(old, begin, end);
    size_t shift = mirror_page(mirror, old->begin);
    page_bits_copy(mirror->valid, shift, old->valid, pages.begin, pages.end);
}

static bool absorb(struct mirror *mirror, struct mirror *old, struct claim *claim)
{
    struct absorption absorption = {mirror, old};
    pins_release(old);
    /* The old registration is the proof of identity: only where a scan of all of it
     * succeeds may pages be taken over, and registering it again would forge the proof. */
    if (mirror_scan(old, claim, (struct byte_range){old->begin, old->end}) != STATUS_OK) {
        mirror_empty(old);
        return false;
    }
    size_t before = old->memory.committed_bytes + mirror->memory.committed_bytes;
    device_range_move(&old->memory, &mirror->memory, note_moved, &absorption);
    size_t after = old->memory.committed_bytes + mirror->memory.committed_bytes;
    budget_give(&mirror->resources->budget, before - after);
    pthread_mutex_lock(&old->lock);
    atomic_store(&old->armed, false); /* still registered, now as a part of `mirror` */
    drop_copy(old);
    pthread_mutex_unlock(&old->lock);
    return true;
}

static bool register_part(struct mirror *mirror, uintptr_t begin, uintptr_t end)
{
    return begin == end || registration_add(mirror, begin, end) == STATUS_OK;
}

void mirror_join(struct mirror *mirror, struct mirror *const *old, struct claim *const *claims, size_t count)
{
    uintptr_t registered_to = mirror->begin;
    bool made = make_copy(mirror) == STATUS_OK, good = made, any = false;
    for (size_t i = 0; i < count; i++) {
        if (!made || !atomic_load(&old[i]->armed) || !absorb(mirror, old[i], claims[i])) {
            mirror_empty(old[i]);
            continue;
        }
        good = good && register_part(mirror, registered_to, old[i]->begin);
        registered_to = old[i]->end;
        any = true;
    }
    atomic_store(&mirror->armed, any);
    if (any)
        registration_take_over(mirror);
    if (!any || !good || !register_part(mirror, registered_to, mirror->end))
        mirror_empty(mirror);
}

#include "mirror/mirror.h"

#include "common/phase_clock.h"
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
    mirror->known = page_bits_create(mirror_pages(mirror));
    if (!mirror->known) {
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
    free(mirror->known);
    free(mirror);
}

struct page_range mirror_page_range(const struct mirror *mirror, uintptr_t begin, uintptr_t end)
{
    struct page_range pages = {0, 0};
    begin = begin > mirror->begin ? page_floor(begin) : mirror->begin;
    end = end < mirror->end ? page_ceiling(end) : mirror->end;
    if (begin < end) {
        pages.begin = mirror_page(mirror, begin);
        pages.end = mirror_page(mirror, end);
    }
    return pages;
}

static void free_bits(struct mirror *mirror)
{
    free(mirror->valid);
    free(mirror->suspect);
    free(mirror->split);
    mirror->valid = mirror->suspect = mirror->split = NULL;
}

static enum status make_room(struct mirror *mirror)
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

static void drop_room(struct mirror *mirror)
{
    budget_give(&mirror->resources->budget, mirror->memory.committed_bytes);
    device_range_destroy(&mirror->memory);
    free_bits(mirror);
    completeness_forget(mirror);
    pthread_mutex_lock(&mirror->notes);
    memset(mirror->hot, 0, sizeof mirror->hot);
    memset(mirror->results, 0, sizeof mirror->results);
    pthread_mutex_unlock(&mirror->notes);
}

/* Pages are protected as they are first scanned; until then none is valid. */
static enum status make_armed(struct mirror *mirror)
{
    enum status status = make_room(mirror);
    if (status != STATUS_OK)
        return status;
    status = registration_add(mirror, mirror->begin, mirror->end);
    if (status == STATUS_OK)
        atomic_store(&mirror->armed, true);
    else
        drop_room(mirror);
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
        drop_room(mirror);
    pthread_mutex_unlock(&mirror->lock);
}

void mirror_invalidate(struct mirror *mirror, size_t begin, size_t end)
{
    if (!page_bits_any(mirror->valid, begin, end))
        return;
    page_bits_clear(mirror->valid, begin, end);
    completeness_lose(mirror, (struct page_range){begin, end});
}

bool mirror_is_known(struct mirror *mirror, struct page_range pages)
{
    if (pages.begin >= mirror->known_run.begin && pages.end <= mirror->known_run.end)
        return true;
    if (!page_bits_all(mirror->known, pages.begin, pages.end))
        return false;
    mirror->known_run = pages;
    return true;
}

void mirror_forget_known(struct mirror *mirror, size_t begin, size_t end)
{
    page_bits_clear(mirror->known, begin, end);
    mirror->known_run = (struct page_range){0, 0};
}

/* What begins or ends inside a block says that it lies on small pages. */
static void note_boundary(struct mirror *mirror, uintptr_t at)
{
    if (at != block_floor(at) && at > mirror->begin && at < mirror->end)
        page_bits_set(mirror->split, mirror_block(mirror, at), mirror_block(mirror, at) + 1);
}

void mirror_take_as_written(struct mirror *mirror, struct page_range pages)
{
    mirror_invalidate(mirror, pages.begin, pages.end);
    page_bits_set(mirror->suspect, pages.begin, pages.end);
}

static void note_written(void *context, uintptr_t begin, uintptr_t end)
{
    struct mirror *mirror = context;
    note_boundary(mirror, begin);
    note_boundary(mirror, end);
    mirror_take_as_written(mirror, mirror_page_range(mirror, begin, end));
}

static bool is_split(const struct mirror *mirror, uintptr_t host)
{
    return mirror->split && page_bits_test(mirror->split, mirror_block(mirror, host));
}

struct byte_range mirror_scan_bounds(struct mirror *mirror, struct byte_range range)
{
    pthread_mutex_lock(&mirror->lock);
    range.begin = is_split(mirror, range.begin) ? page_floor(range.begin) : block_floor(range.begin);
    range.end = is_split(mirror, range.end) ? page_ceiling(range.end) : block_ceiling(range.end);
    pthread_mutex_unlock(&mirror->lock);
    range.begin = range.begin > mirror->begin ? range.begin : mirror->begin;
    range.end = range.end < mirror->end ? range.end : mirror->end;
    return range;
}

enum status mirror_scan(struct mirror *mirror, struct claim *claim, struct byte_range range)
{
    if (!atomic_load(&mirror->armed) || registration_is_given_up(mirror))
        return STATUS_NOT_TRACKABLE;
    const enum phase before = phase_enter(PHASE_SCAN);
    claims_begin_scan(mirror, claim, range);
    enum status status =
        write_tracker_scan(mirror->resources->tracker, range.begin, range.end, note_written, mirror);
    if (status != STATUS_OK) /* marks may have been taken */
        mirror_take_as_written(mirror, mirror_page_range(mirror, range.begin, range.end));
    claims_end_scan(mirror, claim);
    phase_enter(before);
    return status;
}

static enum status commit(struct mirror *mirror, uintptr_t begin, uintptr_t end)
{
    struct mirror_resources *resources = mirror->resources;
    size_t missing = device_range_missing(&mirror->memory, begin, end);
    if (missing == 0)
        return STATUS_OK;
    if (!budget_take(&resources->budget, missing))
        return STATUS_OUT_OF_MEMORY;
    size_t before = mirror->memory.committed_bytes;
    enum status status = device_range_commit(&mirror->memory, begin, end);
    budget_give(&resources->budget, missing - (mirror->memory.committed_bytes - before));
    if (status == STATUS_OUT_OF_MEMORY) /* others have taken what was free */
        budget_refresh(&resources->budget);
    return status;
}

enum status mirror_commit(struct mirror *mirror, uintptr_t begin, uintptr_t end)
{
    pthread_mutex_lock(&mirror->committing);
    enum status status = commit(mirror, begin, end);
    pthread_mutex_unlock(&mirror->committing);
    return status;
}

size_t mirror_uncommitted(struct mirror *mirror, uintptr_t begin, uintptr_t end)
{
    pthread_mutex_lock(&mirror->committing);
    const size_t missing = device_range_missing(&mirror->memory, begin, end);
    pthread_mutex_unlock(&mirror->committing);
    return missing;
}

static bool nobody_claims(void *context, uintptr_t begin, uintptr_t end)
{
    return !claims_touch(context, begin, end);
}

static void note_released(void *context, uintptr_t begin, uintptr_t end)
{
    struct mirror *mirror = context;
    struct page_range pages = mirror_page_range(mirror, begin, end);
    mirror_invalidate(mirror, pages.begin, pages.end);
}

/* With the lock, so that nobody claims meanwhile what goes. */
void mirror_shrink(struct mirror *mirror)
{
    const struct device_range_visitor visitor = {nobody_claims, note_released, mirror};
    if (!atomic_load(&mirror->armed))
        return;
    pthread_mutex_lock(&mirror->committing);
    pthread_mutex_lock(&mirror->lock);
    size_t before = mirror->memory.committed_bytes;
    device_range_release(&mirror->memory, &visitor);
    budget_give(&mirror->resources->budget, before - mirror->memory.committed_bytes);
    pthread_mutex_unlock(&mirror->lock);
    pthread_mutex_unlock(&mirror->committing);
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
    drop_room(old);
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
    bool room = make_room(mirror) == STATUS_OK, good = room, any = false;
    for (size_t i = 0; i < count; i++) {
        if (!room || !atomic_load(&old[i]->armed) || !absorb(mirror, old[i], claims[i])) {
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

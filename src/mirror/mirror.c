#include "mirror/mirror.h"
#include "mirror/pinning/pins.h"
#include "mirror/tracking/mirror_pages.h"

#include <stdlib.h>
#include <string.h>

static enum status commit(struct mirror_copy *copy, uintptr_t begin, uintptr_t end)
{
    struct budget *const budget = &copy->share->budget;
    size_t missing = device_range_missing(&copy->memory, begin, end);
    if (missing == 0)
        return STATUS_OK;
    if (!budget_take(budget, missing))
        return STATUS_OUT_OF_MEMORY;
    size_t before = copy->memory.committed_bytes;
    enum status status = device_range_commit(&copy->memory, begin, end);
    budget_give(budget, missing - (copy->memory.committed_bytes - before));
    if (status == STATUS_OUT_OF_MEMORY) /* others have taken what was free */
        budget_refresh(budget);
    return status;
}

enum status mirror_commit(struct mirror_copy *copy, uintptr_t begin, uintptr_t end)
{
    pthread_mutex_lock(&copy->committing);
    enum status status = commit(copy, begin, end);
    pthread_mutex_unlock(&copy->committing);
    return status;
}

size_t mirror_uncommitted(struct mirror_copy *copy, uintptr_t begin, uintptr_t end)
{
    pthread_mutex_lock(&copy->committing);
    const size_t missing = device_range_missing(&copy->memory, begin, end);
    pthread_mutex_unlock(&copy->committing);
    return missing;
}

/* Memory that nobody claims goes, and its pages are not valid any more. */
static bool may_go(void *context, uintptr_t begin, uintptr_t end)
{
    struct mirror_copy *copy = context;
    const struct page_range pages = mirror_page_range(copy->mirror, begin, end);
    if (claims_touch(copy->mirror, (int)(copy - copy->mirror->copies), begin, end))
        return false;
    mirror_invalidate_copy(copy, pages.begin, pages.end);
    return true;
}

/* With the lock, so that nobody claims meanwhile what goes. */
void mirror_shrink(struct mirror_copy *copy)
{
    if (!atomic_load(&copy->made))
        return;
    pthread_mutex_lock(&copy->committing);
    pthread_mutex_lock(&copy->mirror->lock);
    size_t before = copy->memory.committed_bytes;
    device_range_release(&copy->memory, may_go, copy);
    budget_give(&copy->share->budget, before - copy->memory.committed_bytes);
    pthread_mutex_unlock(&copy->mirror->lock);
    pthread_mutex_unlock(&copy->committing);
}

static bool create_copies(struct mirror *mirror)
{
    const int places = mirror->resources->places;
    mirror->copies = calloc((size_t)places, sizeof *mirror->copies);
    for (int i = 0; mirror->copies && i < places; i++) {
        mirror->copies[i].mirror = mirror;
        mirror->copies[i].share = &mirror->resources->shares[i];
        pthread_mutex_init(&mirror->copies[i].committing, NULL);
    }
    return mirror->copies != NULL;
}

struct mirror *mirror_create(struct mirror_resources *resources, uintptr_t begin, uintptr_t end)
{
    struct mirror *mirror = calloc(1, sizeof *mirror);
    if (!mirror)
        return NULL;
    mirror->resources = resources;
    mirror->begin = begin;
    mirror->end = end;
    mirror->references = 1;
    if (!create_copies(mirror)) {
        free(mirror);
        return NULL;
    }
    pthread_mutex_init(&mirror->lock, NULL);
    pthread_mutex_init(&mirror->pinning, NULL);
    pthread_mutex_init(&mirror->notes, NULL);
    patience_condition_create(&mirror->claims_changed);
    return mirror;
}

void mirror_destroy(struct mirror *mirror)
{
    mirror_empty(mirror);
    for (int i = 0; i < mirror->resources->places; i++) {
        pthread_mutex_destroy(&mirror->copies[i].committing);
        free(mirror->copies[i].resident);
    }
    pthread_cond_destroy(&mirror->claims_changed);
    pthread_mutex_destroy(&mirror->lock);
    pthread_mutex_destroy(&mirror->pinning);
    pthread_mutex_destroy(&mirror->notes);
    free(mirror->copies);
    free(mirror);
}

static void free_bits(struct mirror *mirror)
{
    free(mirror->suspect);
    free(mirror->split);
    mirror->suspect = mirror->split = NULL;
}

static enum status make_bits(struct mirror *mirror)
{
    if (mirror->suspect)
        return STATUS_OK;
    mirror->suspect = page_bits_create(mirror_pages(mirror));
    mirror->split = page_bits_create(mirror_block(mirror, mirror->end) + 1);
    if (mirror->suspect && mirror->split)
        return STATUS_OK;
    free_bits(mirror);
    return STATUS_OUT_OF_MEMORY;
}

/* The memory of a device is given back in its context, which need not be the one that the caller is in. */
static bool enter(struct mirror_copy *copy, struct device_scope *scope)
{
    return copy->mirror->resources->places > 1 && device_enter(copy->share->device, scope) == STATUS_OK;
}

static void leave(struct mirror_copy *copy, struct device_scope *scope, bool entered)
{
    if (entered)
        device_leave(copy->share->device, scope);
}

static enum status make_copy(struct mirror_copy *copy)
{
    const struct mirror *mirror = copy->mirror;
    if (atomic_load(&copy->made))
        return STATUS_OK;
    enum status status = device_range_create(&copy->memory, copy->share->device, mirror->begin, mirror->end);
    if (status != STATUS_OK)
        return status;
    copy->valid = page_bits_create(mirror_pages(mirror));
    atomic_store(&copy->made, copy->valid != NULL);
    if (copy->valid)
        return STATUS_OK;
    device_range_destroy(&copy->memory);
    return STATUS_OUT_OF_MEMORY;
}

static void drop_copy(struct mirror_copy *copy)
{
    struct device_scope scope;
    if (!atomic_exchange(&copy->made, false))
        return;
    const bool entered = enter(copy, &scope);
    budget_give(&copy->share->budget, copy->memory.committed_bytes);
    device_range_destroy(&copy->memory);
    leave(copy, &scope, entered);
    free(copy->valid);
    copy->valid = NULL;
    completeness_forget(copy);
    pthread_mutex_lock(&copy->mirror->notes);
    memset(copy->hot, 0, sizeof copy->hot);
    pthread_mutex_unlock(&copy->mirror->notes);
}

static void drop_all(struct mirror *mirror)
{
    for (int i = 0; i < mirror->resources->places; i++)
        drop_copy(&mirror->copies[i]);
    free_bits(mirror);
    pthread_mutex_lock(&mirror->notes);
    memset(&mirror->results, 0, sizeof mirror->results);
    pthread_mutex_unlock(&mirror->notes);
}

/* Pages are protected as they are first scanned; until then none is valid. */
static enum status make_armed(struct mirror *mirror)
{
    enum status status = make_bits(mirror);
    if (status == STATUS_OK)
        status = registration_add(mirror, mirror->begin, mirror->end);
    if (status == STATUS_OK)
        atomic_store(&mirror->armed, true);
    return status;
}

static enum status arm(struct mirror_copy *copy)
{
    struct mirror *const mirror = copy->mirror;
    enum status status = make_copy(copy);
    if (status == STATUS_OK && !atomic_load(&mirror->armed)) {
        status = make_armed(mirror);
        if (status != STATUS_OK)
            drop_all(mirror);
    }
    return status;
}

enum status mirror_arm(struct mirror_copy *copy)
{
    struct mirror *const mirror = copy->mirror;
    if (atomic_load(&mirror->foreign_pins))
        return STATUS_NOT_TRACKABLE;
    if (atomic_load(&mirror->armed) && atomic_load(&copy->made))
        return STATUS_OK;
    pthread_mutex_lock(&mirror->lock); /* others may be on their way here from other pages */
    enum status status = arm(copy);
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
    drop_all(mirror);
    pthread_mutex_unlock(&mirror->lock);
}

bool mirror_has_others(const struct mirror_copy *copy)
{
    const struct mirror *mirror = copy->mirror;
    for (int i = 0; i < mirror->resources->places; i++)
        if (&mirror->copies[i] != copy && atomic_load(&mirror->copies[i].made))
            return true;
    return false;
}

void mirror_empty_copy(struct mirror_copy *copy)
{
    if (!mirror_has_others(copy)) {
        mirror_empty(copy->mirror);
        return;
    }
    pthread_mutex_lock(&copy->mirror->lock);
    drop_copy(copy);
    pthread_mutex_unlock(&copy->mirror->lock);
}

struct absorption {
    struct mirror_copy *copy, *old;
};

/* A chunk has moved: so have its pages, valid as they were. */
static void note_moved(void *context, uintptr_t begin, uintptr_t end)
{
    struct absorption *absorption = context;
    struct mirror_copy *copy = absorption->copy, *old = absorption->old;
    struct page_range pages = mirror_page_range(old->mirror, begin, end);
    size_t shift = mirror_page(copy->mirror, old->mirror->begin);
    page_bits_copy(copy->valid, shift, old->valid, pages.begin, pages.end);
}

/* Memory that cannot be taken over is dropped with the old copy. */
static void absorb_copy(struct mirror_copy *copy, struct mirror_copy *old)
{
    struct absorption absorption = {copy, old};
    struct device_scope scope;
    if (!atomic_load(&old->made))
        return;
    const bool entered = enter(old, &scope);
    if (make_copy(copy) == STATUS_OK) {
        size_t before = old->memory.committed_bytes + copy->memory.committed_bytes;
        device_range_move(&old->memory, &copy->memory, note_moved, &absorption);
        size_t after = old->memory.committed_bytes + copy->memory.committed_bytes;
        budget_give(&copy->share->budget, before - after);
    }
    leave(old, &scope, entered);
}

static bool absorb(struct mirror *mirror, struct mirror *old, struct claim *claim)
{
    pins_release(old);
    /* The old registration is the proof of identity: only where a scan of all of it
     * succeeds may pages be taken over, and registering it again would forge the proof. */
    if (mirror_scan(old, claim, (struct byte_range){old->begin, old->end}) != STATUS_OK) {
        mirror_empty(old);
        return false;
    }
    for (int i = 0; i < mirror->resources->places; i++)
        absorb_copy(&mirror->copies[i], &old->copies[i]);
    pthread_mutex_lock(&old->lock);
    atomic_store(&old->armed, false); /* still registered, now as a part of `mirror` */
    drop_all(old);
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
    bool made = make_bits(mirror) == STATUS_OK, good = made, any = false;
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

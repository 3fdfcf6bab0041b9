/* Device memory behind a mirror's addresses. */
#include "mirror/mirror.h"

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

/* What nobody claims goes, and is not valid any more. */
static bool may_go(void *context, uintptr_t begin, uintptr_t end)
{
    struct mirror *mirror = context;
    const struct page_range pages = mirror_page_range(mirror, begin, end);
    if (claims_touch(mirror, begin, end))
        return false;
    mirror_invalidate(mirror, pages.begin, pages.end);
    return true;
}

/* With the lock, so that nobody claims meanwhile what goes. */
void mirror_shrink(struct mirror *mirror)
{
    if (!atomic_load(&mirror->armed))
        return;
    pthread_mutex_lock(&mirror->committing);
    pthread_mutex_lock(&mirror->lock);
    size_t before = mirror->memory.committed_bytes;
    device_range_release(&mirror->memory, may_go, mirror);
    budget_give(&mirror->resources->budget, before - mirror->memory.committed_bytes);
    pthread_mutex_unlock(&mirror->lock);
    pthread_mutex_unlock(&mirror->committing);
}

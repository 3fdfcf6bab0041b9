/* Device memory behind the addresses of a mirror's copy. */
#include "mirror/mirror.h"

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

/* What nobody claims goes, and is not valid any more. */
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

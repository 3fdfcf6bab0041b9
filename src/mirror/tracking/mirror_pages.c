/* What is known of a mirror's pages, and the scans that take it away. */
#include "mirror/mirror.h"

#include "common/phase_clock.h"
#include "mirror/tracking/completeness.h"

void mirror_invalidate_copy(struct mirror_copy *copy, size_t begin, size_t end)
{
    if (!atomic_load(&copy->made) || !page_bits_any(copy->valid, begin, end))
        return;
    page_bits_clear(copy->valid, begin, end);
    completeness_lose(copy, (struct page_range){begin, end});
}

void mirror_invalidate(struct mirror *mirror, size_t begin, size_t end)
{
    for (int i = 0; i < mirror->resources->places; i++)
        mirror_invalidate_copy(&mirror->copies[i], begin, end);
}

void mirror_invalidate_others(struct mirror_copy *copy, size_t begin, size_t end)
{
    struct mirror *const mirror = copy->mirror;
    for (int i = 0; i < mirror->resources->places; i++)
        if (&mirror->copies[i] != copy)
            mirror_invalidate_copy(&mirror->copies[i], begin, end);
}

bool mirror_is_resident(struct mirror_copy *copy, struct page_range pages)
{
    if (pages.begin >= copy->resident_run.begin && pages.end <= copy->resident_run.end)
        return true;
    if (!copy->resident || !page_bits_all(copy->resident, pages.begin, pages.end))
        return false;
    copy->resident_run = pages;
    return true;
}

/* Out of memory: it counts as not resident. */
void mirror_note_resident(struct mirror_copy *copy, struct page_range pages)
{
    if (!copy->resident)
        copy->resident = page_bits_create(mirror_pages(copy->mirror));
    if (copy->resident)
        page_bits_set(copy->resident, pages.begin, pages.end);
}

void mirror_forget_resident(struct mirror_copy *copy, size_t begin, size_t end)
{
    if (copy->resident)
        page_bits_clear(copy->resident, begin, end);
    copy->resident_run = (struct page_range){0, 0};
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

static void take_written_range(void *context, uintptr_t begin, uintptr_t end)
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
    return byte_ranges_common(range, (struct byte_range){mirror->begin, mirror->end});
}

enum status mirror_scan(struct mirror *mirror, struct claim *claim, struct byte_range range)
{
    if (!atomic_load(&mirror->armed) || registration_is_given_up(mirror))
        return STATUS_NOT_TRACKABLE;
    const enum phase before = phase_enter(PHASE_SCAN);
    claims_begin_scan(mirror, claim, range);
    enum status status =
        write_tracker_scan(mirror->resources->tracker, range.begin, range.end, take_written_range, mirror);
    if (status != STATUS_OK) /* marks may have been taken */
        mirror_take_as_written(mirror, mirror_page_range(mirror, range.begin, range.end));
    claims_end_scan(mirror, claim);
    phase_enter(before);
    return status;
}

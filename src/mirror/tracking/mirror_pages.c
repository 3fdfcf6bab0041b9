#include "mirror/tracking/mirror_pages.h"
#include "common/clock.h"
#include "mirror/mirror.h"

#include <string.h>

static struct complete_operand *find_complete(struct mirror_copy *copy, const struct operand *operand)
{
    for (int i = 0; i < MIRROR_COMPLETE_MAX; i++)
        if (operand_memory_contains(&copy->complete[i].operand, operand))
            return &copy->complete[i];
    return NULL;
}

bool completeness_find(struct mirror_copy *copy, const struct operand *operand,
                       struct completeness *completeness)
{
    pthread_mutex_lock(&copy->mirror->notes);
    const struct complete_operand *known = find_complete(copy, operand);
    if (known)
        *completeness = (struct completeness){known->lost, known->changed};
    pthread_mutex_unlock(&copy->mirror->notes);
    return known != NULL;
}

/* In place of what contains it, or of what it contains: a factorisation's next submatrix
 * lies in the last one. Otherwise of the oldest. */
static struct complete_operand *choose_place(struct mirror_copy *copy, const struct operand *operand)
{
    struct complete_operand *place = find_complete(copy, operand);
    for (int i = 0; i < MIRROR_COMPLETE_MAX && !place; i++)
        if (operand_memory_contains(operand, &copy->complete[i].operand))
            place = &copy->complete[i];
    return place ? place : &copy->complete[copy->next_complete++ % MIRROR_COMPLETE_MAX];
}

void completeness_put(struct mirror_copy *copy, const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    *choose_place(copy, operand) =
        (struct complete_operand){.operand = *operand,
                                  .pages = mirror_page_range(copy->mirror, hull.begin, hull.end),
                                  .changed = ++copy->complete_changes};
}

void completeness_note(struct mirror_copy *copy, const struct operand *operand, unsigned long evicted)
{
    pthread_mutex_lock(&copy->mirror->notes);
    if (atomic_load(&copy->parts_evicted) == evicted)
        completeness_put(copy, operand);
    pthread_mutex_unlock(&copy->mirror->notes);
}

void completeness_note_valid(struct mirror_copy *copy, const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    const struct page_range pages = mirror_page_range(copy->mirror, hull.begin, hull.end);
    pthread_mutex_lock(&copy->mirror->notes);
    const struct complete_operand *known = find_complete(copy, operand);
    const struct page_range doubtful = known ? page_ranges_common(pages, known->lost) : pages;
    if (doubtful.begin >= doubtful.end || page_bits_all(copy->valid, doubtful.begin, doubtful.end))
        *choose_place(copy, operand) = (struct complete_operand){.operand = *operand, .pages = pages,
                                                                 .changed = ++copy->complete_changes};
    pthread_mutex_unlock(&copy->mirror->notes);
}

static void widen(struct mirror_copy *copy, struct complete_operand *known, struct page_range pages)
{
    struct page_range *lost = &known->lost;
    pages = page_ranges_common(pages, known->pages);
    if (pages.begin >= pages.end)
        return;
    known->changed = ++copy->complete_changes;
    if (lost->begin == lost->end)
        *lost = pages;
    lost->begin = pages.begin < lost->begin ? pages.begin : lost->begin;
    lost->end = pages.end > lost->end ? pages.end : lost->end;
}

void completeness_widen(struct mirror_copy *copy, struct page_range pages)
{
    for (int i = 0; i < MIRROR_COMPLETE_MAX; i++)
        widen(copy, &copy->complete[i], pages);
}

/* These pages may have lost their valid bits, and are not any part's any more. */
static void lose(struct mirror_copy *copy, struct page_range pages, bool were_valid)
{
    pthread_mutex_lock(&copy->mirror->notes);
    if (parts_lose(copy, pages) || were_valid)
        completeness_widen(copy, pages);
    pthread_mutex_unlock(&copy->mirror->notes);
}

/* At once: what others lose in between would come back with it. */
bool completeness_take(struct mirror_copy *copy, const struct operand *operand, struct page_range pages,
                       struct completeness *before)
{
    pthread_mutex_lock(&copy->mirror->notes);
    const struct complete_operand *known = find_complete(copy, operand);
    if (known)
        before->lost = known->lost;
    completeness_widen(copy, pages);
    if (known)
        before->changed = known->changed;
    const bool was_parts = parts_lose(copy, pages);
    pthread_mutex_unlock(&copy->mirror->notes);
    return known && !was_parts;
}

void completeness_regain(struct mirror_copy *copy, const struct operand *operand,
                         const struct completeness *before)
{
    pthread_mutex_lock(&copy->mirror->notes);
    struct complete_operand *known = find_complete(copy, operand);
    if (known && known->changed == before->changed)
        known->lost = before->lost;
    pthread_mutex_unlock(&copy->mirror->notes);
}

void completeness_forget(struct mirror_copy *copy)
{
    pthread_mutex_lock(&copy->mirror->notes);
    memset(copy->complete, 0, sizeof copy->complete);
    parts_drop(copy);
    pthread_mutex_unlock(&copy->mirror->notes);
}

enum {
    HOT_STREAK = 3,       /* uses in a row that make a range hot */
    HOT_USES = 64,    /* before it is looked at again */
    HOT_BYTES_MOST = 8 << 20, /* more is worth a scan every time, and may be worth a pin (pins.h) */
};

/* The entry that these pages overlap; NULL: none. */
static struct hot_range *find_hot(struct mirror_copy *copy, struct page_range pages)
{
    for (int i = 0; i < MIRROR_HOT_MAX; i++) {
        struct hot_range *range = &copy->hot[i];
        if (range->pages.begin < pages.end && pages.begin < range->pages.end)
            return range;
    }
    return NULL;
}

/* A factorisation's panels pass by; its workspace stays. */
static struct hot_range *place_of_new(struct mirror_copy *copy)
{
    struct hot_range *least = &copy->hot[copy->next_hot++ % MIRROR_HOT_MAX];
    for (int i = 0; i < MIRROR_HOT_MAX; i++)
        if (copy->hot[i].streak < least->streak)
            least = &copy->hot[i];
    return least;
}

/* All of the pages must be hot: a matrix is not rewritten because a panel in it is. */
bool hot_ranges_hold(struct mirror_copy *copy, struct page_range pages)
{
    pthread_mutex_lock(&copy->mirror->notes);
    const struct hot_range *range = find_hot(copy, pages);
    const bool is_hot = range && range->streak >= HOT_STREAK && page_range_covers(range->pages, pages);
    pthread_mutex_unlock(&copy->mirror->notes);
    return is_hot;
}

static void count_rewrite(struct mirror_copy *copy, struct hot_range *range, struct page_range pages)
{
    if (!range) {
        range = place_of_new(copy);
        *range = (struct hot_range){0};
    } else if (!page_range_covers(range->pages, pages)) {
        *range = (struct hot_range){0};
    }
    range->pages = pages;
    if (range->streak < HOT_STREAK) {
        range->uses_left = HOT_USES;
        range->streak++;
    } else if (--range->uses_left == 0) {
        /* Two more scans: to the first, what was unprotected counts as written. */
        range->streak = HOT_STREAK - 2;
    }
}

void hot_ranges_note(struct mirror_copy *copy, struct page_range pages, bool mostly_written)
{
    pthread_mutex_lock(&copy->mirror->notes);
    struct hot_range *range = find_hot(copy, pages);
    if (mostly_written && (pages.end - pages.begin) << page_shift() <= HOT_BYTES_MOST)
        count_rewrite(copy, range, pages);
    else if (range)
        *range = (struct hot_range){0};
    pthread_mutex_unlock(&copy->mirror->notes);
}

void mirror_invalidate_copy(struct mirror_copy *copy, size_t begin, size_t end)
{
    if (!atomic_load(&copy->made))
        return;
    const bool were_valid = page_bits_any(copy->valid, begin, end);
    if (were_valid)
        page_bits_clear(copy->valid, begin, end);
    if (were_valid || atomic_load(&copy->part_count) > 0)
        lose(copy, (struct page_range){begin, end}, were_valid);
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

/* A written range that begins or ends inside a block says that the block lies on small pages. */
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

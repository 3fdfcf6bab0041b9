#include "mirror/tracking/mirror_pages.h"
#include "common/clock.h"
#include "mirror/mirror.h"

#include <stdlib.h>
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

/* The caller has `notes`. All of the operand is valid now. */
static void completeness_put(struct mirror_copy *copy, const struct operand *operand)
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

/* The caller has `notes`. So much of what is known of any operand is not. */
static void completeness_widen(struct mirror_copy *copy, struct page_range pages)
{
    for (int i = 0; i < MIRROR_COMPLETE_MAX; i++)
        widen(copy, &copy->complete[i], pages);
}

static void drop_part(struct mirror_copy *copy, struct known_part *part)
{
    free(part->bits);
    part->bits = NULL;
    atomic_fetch_sub(&copy->part_count, 1);
}

/* With `notes`. These pages are no part's any more. False: none was. The caller tells what is complete. */
static bool parts_lose(struct mirror_copy *copy, struct page_range pages)
{
    bool lost = false;
    for (int i = 0; i < MIRROR_PARTS_MAX; i++) {
        struct known_part *const part = &copy->parts[i];
        const struct page_range common = page_ranges_common(part->pages, pages);
        if (!part->bits || common.begin >= common.end)
            continue;
        const size_t first = part->pages.begin, count = part->pages.end - first;
        if (!page_bits_any(part->bits, common.begin - first, common.end - first))
            continue;
        page_bits_clear(part->bits, common.begin - first, common.end - first);
        lost = true;
        if (!page_bits_any(part->bits, 0, count))
            drop_part(copy, part);
    }
    return lost;
}

static void parts_drop(struct mirror_copy *copy)
{
    for (int i = 0; i < MIRROR_PARTS_MAX; i++)
        if (copy->parts[i].bits)
            drop_part(copy, &copy->parts[i]);
}

/* An unused place, or that of the oldest, which goes: from now on nobody would hear what its pages lose. */
static struct known_part *place_of_part(struct mirror_copy *copy)
{
    struct known_part *oldest = &copy->parts[0];
    for (int i = 0; i < MIRROR_PARTS_MAX; i++) {
        if (!copy->parts[i].bits)
            return &copy->parts[i];
        if (copy->parts[i].number < oldest->number)
            oldest = &copy->parts[i];
    }
    completeness_widen(copy, oldest->pages);
    atomic_fetch_add(&copy->parts_evicted, 1);
    drop_part(copy, oldest);
    return oldest;
}

void parts_validate_filled(struct mirror_copy *copy, const struct operand *operand)
{
    const struct mirror *const mirror = copy->mirror;
    struct operand_runs runs = operand_runs_start(operand);
    struct byte_range run;
    while (operand_runs_next(&runs, &run)) {
        const uintptr_t begin = page_ceiling(run.begin), end = page_floor(run.end);
        if (begin < end)
            page_bits_set(copy->valid, mirror_page(mirror, begin), mirror_page(mirror, end));
    }
}

/* All pages that the operand touches; NULL: out of memory. */
static uint64_t *touched_pages(const struct mirror *mirror, const struct operand *operand,
                               struct page_range hull)
{
    uint64_t *const bits = page_bits_create(hull.end - hull.begin);
    struct operand_runs runs = operand_runs_start(operand);
    struct byte_range run;
    while (bits && operand_runs_next(&runs, &run)) {
        const struct page_range pages = mirror_page_range(mirror, run.begin, run.end);
        page_bits_set(bits, pages.begin - hull.begin, pages.end - hull.begin);
    }
    return bits;
}

void parts_note(struct mirror_copy *copy, const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    const struct page_range pages = mirror_page_range(copy->mirror, hull.begin, hull.end);
    uint64_t *const bits = touched_pages(copy->mirror, operand, pages);
    parts_validate_filled(copy, operand);
    if (!bits)
        return;
    pthread_mutex_lock(&copy->mirror->notes);
    *place_of_part(copy) = (struct known_part){*operand, pages, bits, ++copy->parts_noted};
    atomic_fetch_add(&copy->part_count, 1);
    completeness_put(copy, operand);
    pthread_mutex_unlock(&copy->mirror->notes);
}

/* The last one that contains the operand. */
static const struct known_part *find_part(const struct mirror_copy *copy, const struct operand *operand)
{
    const struct known_part *found = NULL;
    for (int i = 0; i < MIRROR_PARTS_MAX; i++) {
        const struct known_part *const part = &copy->parts[i];
        if (part->bits && (!found || part->number > found->number) &&
            operand_memory_contains(&part->operand, operand))
            found = part;
    }
    return found;
}

bool parts_contain(struct mirror_copy *copy, const struct operand *operand)
{
    if (atomic_load(&copy->part_count) == 0)
        return false;
    pthread_mutex_lock(&copy->mirror->notes);
    const bool contain = find_part(copy, operand) != NULL;
    pthread_mutex_unlock(&copy->mirror->notes);
    return contain;
}

uint64_t *parts_find(struct mirror_copy *copy, const struct operand *operand, struct page_range pages)
{
    uint64_t *bits = NULL;
    if (atomic_load(&copy->part_count) == 0)
        return NULL;
    pthread_mutex_lock(&copy->mirror->notes);
    const struct known_part *const part = find_part(copy, operand);
    if (part && (bits = page_bits_create(pages.end - pages.begin)))
        page_bits_move(bits, part->bits, pages.begin - part->pages.begin, pages.end - part->pages.begin);
    pthread_mutex_unlock(&copy->mirror->notes);
    return bits;
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

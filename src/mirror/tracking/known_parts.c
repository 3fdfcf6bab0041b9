#include "mirror/tracking/mirror_pages.h"

#include <stdlib.h>

static void drop_part(struct mirror_copy *copy, struct known_part *part)
{
    free(part->bits);
    part->bits = NULL;
    atomic_fetch_sub(&copy->part_count, 1);
}

bool parts_lose(struct mirror_copy *copy, struct page_range pages)
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

void parts_drop(struct mirror_copy *copy)
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
